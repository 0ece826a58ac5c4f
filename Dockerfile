# The hub with local speech engines:
#   docker build -t earnest .
#   docker run --name earnest -v earnest-config:/config -v earnest-data:/data earnest
# An empty /config becomes the starter house. Talk to it: docker exec earnest earnest ask "turn on the kitchen lights"

FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python -m venv --without-pip /opt/earnest
COPY requirements/run.txt requirements/run.txt
RUN pip --python /opt/earnest/bin/python install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml MANIFEST.in README.md LICENSE NOTICE ./
COPY config config
COPY blueprints blueprints
COPY integrations integrations
COPY hub hub
RUN pip --python /opt/earnest/bin/python install --no-cache-dir --no-deps --no-build-isolation . \
 && pip --python /opt/earnest/bin/python uninstall --yes setuptools

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="Earnest" \
      org.opencontainers.image.description="The voice hub that asks before it acts and always shows when it listens." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN apt-get update \
 && apt-get install --yes --no-install-recommends tini \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 earnest \
 && install -d -o earnest -g earnest -m 0700 /config /data /data/cache /run/earnest
COPY --from=build /opt/earnest /opt/earnest
ENV PATH=/opt/earnest/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 \
    EARNEST_CONFIG=/config EARNEST_DATA=/data XDG_RUNTIME_DIR=/run/earnest
USER earnest
WORKDIR /data
VOLUME ["/config", "/data"]
HEALTHCHECK --start-period=2m --interval=30s --timeout=10s CMD earnest doctor --quick || exit 1
STOPSIGNAL SIGTERM
ENTRYPOINT ["tini", "--"]
CMD ["earnest", "run", "--init"]
