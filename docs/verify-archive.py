"""Verify archives of tokenbook: python3 verify-archive.py DIR. Needs nothing but Python 3."""
import datetime, hashlib, json, pathlib, sys

SEAL = '{"kind":"archive.sealed","runs":%d,"records":%d,"digest":"%s"}\n'

def sha256(data):
    return hashlib.sha256(data).hexdigest()

def check(holds, otherwise):
    if not holds:
        raise ValueError(otherwise)

def fields(line, names):
    pairs = json.loads(line, object_pairs_hook=list)
    check([name for name, _ in pairs] == names.split(), "a line has other fields than tokenbook writes")
    return dict(pairs)

def seconds(time):
    return datetime.datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()

def check_opened(run, record, body):
    own = (record["kind"], body["runId"], body["playbook"]["file"], body["target"]["environment"])
    check(own == ("run.opened", run["run"], run["playbook"], run["environment"]), "run %s began otherwise" % run["run"])
    check(abs(seconds(run["openedAt"]) - record["at"] / 1000) <= 60, "run %s began at another time" % run["run"])

def verify(path, previous):
    *lines, seal = path.read_bytes().splitlines(keepends=True)
    first, digest = fields(lines[0], "kind format number previous sealedAt"), sha256(b"".join(lines))
    check(first["kind"] == "archive", "it does not begin as an archive")
    check(path.name == "tokenbook-archive-%06d.ndjson" % first["number"], "it has another name")
    check(previous in (None, first["previous"]), "it does not follow from the archive before it")
    runs, records, run, end = 0, 0, {"run": None, "hash": None, "outcome": None}, (None, None)
    for line in lines[1:]:
        place, _, body = line.rstrip(b"\n").partition(b',"body":')
        if not body:  # a run begins
            check(end == (run["hash"], run["outcome"]), "the records of run %s end otherwise" % run["run"])
            run = fields(place, "kind run playbook environment openedAt outcome records hash")
            check(run["kind"] == "archive.run", "a line is neither a run nor a record")
            end, runs = ("0" * 64, None), runs + 1
            continue
        record = fields(place + b"}", "run sequence epoch at time kind previous hash")
        place = [record[name] for name in ("previous", "sequence", "epoch", "at", "kind")]
        own = sha256("\n".join(map(str, place)).encode() + b"\n" + body[:-1])
        check(record["run"] == run["run"] and record["previous"] == end[0], "a record of run %s is missing" % run["run"])
        check(record["hash"] == own, "a record of run %s was changed" % run["run"])
        if record["sequence"] == 0:
            check_opened(run, record, json.loads(body[:-1]))
        end, records = (own, json.loads(body[:-1])["outcome"] if record["kind"] == "run.closed" else end[1]), records + 1
    check(end == (run["hash"], run["outcome"]), "the records of run %s end otherwise" % run["run"])
    check(seal == (SEAL % (runs, records, digest)).encode(), "its last line is not the seal of the lines before it")
    return digest, runs, records

previous, intact, archives = None, 0, sorted(pathlib.Path(sys.argv[1]).glob("tokenbook-archive-*.ndjson"))
for path in archives:
    try:
        previous, runs, records = verify(path, previous)
        intact += 1
        noun = "run," if runs == 1 else "runs,"
        print(path.name, " intact  ", runs, noun, records, "records, the digest", previous)
    except (ValueError, LookupError, TypeError) as problem:
        print(path.name, " damaged ", problem)
        previous = None
sys.exit(None if archives and intact == len(archives) else "%d of %d archives are intact" % (intact, len(archives)))
