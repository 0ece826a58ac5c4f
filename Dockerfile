# The hub with local speech engines:
#   docker build -t earnest . && docker run -v earnest-config:/config -v earnest-data:/data earnest
# A new /config volume starts as the starter house. Talk to it: docker exec CONTAINER earnest ask "…"

FROM python:3.11-slim AS build
WORKDIR /src
COPY requirements/run.txt requirements/run.txt
RUN python -m venv /opt/earnest \
 && /opt/earnest/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY hub hub
COPY integrations integrations
COPY config config
RUN /opt/earnest/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim
RUN useradd --create-home --uid 1000 earnest \
 && install -d -o earnest -g earnest -m 0700 /data /run/earnest
COPY --from=build /opt/earnest /opt/earnest
COPY --chown=earnest:earnest config /config
ENV PATH=/opt/earnest/bin:$PATH PYTHONUNBUFFERED=1 \
    EARNEST_CONFIG=/config EARNEST_DATA=/data XDG_RUNTIME_DIR=/run/earnest
USER earnest
VOLUME ["/config", "/data"]
HEALTHCHECK --start-period=2m --interval=30s --timeout=10s CMD ["python", "-c", "\
from hub.cli.client import Client; from pathlib import Path; Client(Path('/run/earnest/earnest.sock')).get('/api/')"]
STOPSIGNAL SIGTERM
CMD ["earnest", "run"]
