"""Verify archives of tokenbook: python3 verify-archive.py DIR. Needs nothing but Python 3."""
import hashlib, json, pathlib, sys

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def check(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)

def verify(path, previous):
    *lines, seal = path.read_bytes().splitlines(keepends=True)
    first, end, digest = json.loads(lines[0]), json.loads(seal), sha256(b"".join(lines))
    check(end["kind"] == "archive.sealed" and end["digest"] == digest, "the digest in its last line is wrong")
    check(path.name == "tokenbook-archive-%06d.ndjson" % first["number"], "it has another name")
    check(previous in (None, first["previous"]), "it does not follow from the archive before it")
    runs, records, run, last = 0, 0, {"run": None, "hash": None}, None
    for line in lines[1:]:
        place, _, body = line.rstrip(b"\n").partition(b',"body":')
        if not body:  # a run begins
            check(last == run["hash"], "the records of run %s are not complete" % run["run"])
            run, last, runs = json.loads(place), "0" * 64, runs + 1
            continue
        record = json.loads(place + b"}")
        fields = [record[name] for name in ("previous", "sequence", "epoch", "at", "kind")]
        own = sha256("\n".join(map(str, fields)).encode() + b"\n" + body[:-1])
        check(record["run"] == run["run"] and record["previous"] == last, "a record of run %s is missing" % run["run"])
        check(record["hash"] == own, "a record of run %s was changed" % run["run"])
        last, records = own, records + 1
    check(last == run["hash"], "the records of run %s are not complete" % run["run"])
    check((runs, records) == (end["runs"], end["records"]), "runs or records are missing")
    return digest, runs, records

previous, intact, archives = None, 0, sorted(pathlib.Path(sys.argv[1]).glob("tokenbook-archive-*.ndjson"))
for path in archives:
    try:
        previous, runs, records = verify(path, previous)
        intact += 1
        print(path.name, " intact  ", runs, "runs,", records, "records, the digest", previous)
    except (ValueError, LookupError, TypeError) as problem:
        print(path.name, " damaged ", problem)
        previous = None
sys.exit(None if archives and intact == len(archives) else "%d of %d archives are intact" % (intact, len(archives)))
