import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadServerPlace } from "../../../src/environment/state.ts";
import { nameOfPlace, type ServerPlace } from "../../../src/sql/place.ts";

function placeAt(address: string, variables: Readonly<Record<string, string>> = {}): ServerPlace | undefined {
  const folder = mkdtempSync(join(tmpdir(), "tokenbook-state-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "tokenbook.yaml");
  writeFileSync(path, "environments: { sandbox: embedded }\nstate: { postgres: env:TOKENBOOK_DATABASE }\n");
  return loadServerPlace(path, { cwd: folder, variables: () => ({ TOKENBOOK_DATABASE: address, ...variables }) });
}

test.each(["postgres://me:a-password@db.example.com/tokenbook", "postgresql://me:a,b@127.0.0.1:5433/tokenbook?sslmode=require"])(
  "a database address with one host is accepted: %s",
  (address) => expect(placeAt(address)?.url.reveal()).toBe(address),
);

test.each([
  "postgres://me:a-password@one,two/tokenbook?target_session_attrs=read-write",
  "postgres://me:a-password@one:5432,two:5433/tokenbook",
  "postgres://me:a-password@one/tokenbook?host=two,three",
  "postgres://me:a-password@one/tokenbook?host=two%2Cthree",
])("a database address with several hosts is refused, and not shown: %s", (address) => {
  expect(() => placeAt(address)).toThrow(
    expect.objectContaining({
      code: "environment.state-hosts",
      message: "tokenbook.yaml:2 (state.postgres): the address of the database names several hosts",
    }),
  );
});

test.each([
  [{ XDG_STATE_HOME: "/var/lib", HOME: "/home/me" }, "/var/lib/tokenbook"],
  [{ XDG_STATE_HOME: "", HOME: "/home/me" }, "/home/me/.local/state/tokenbook"],
  [{ XDG_STATE_HOME: "here", HOME: "/home/me" }, "/home/me/.local/state/tokenbook"],
  [{ HOME: "" }, undefined],
  [{}, undefined],
])("what was written is remembered in the folder of the user: %j", (variables, folder) => {
  expect(placeAt("postgres://me:a-password@db/tokenbook", variables)?.memory).toBe(folder);
});

test.each([
  ["postgres://me:a-password@db/tokenbook", true],
  ["postgres://you:another@db:5432/tokenbook?sslmode=require", true],
  ["postgres://me:a-password@elsewhere/tokenbook?host=db", true],
  ["postgres://me:a-password@elsewhere/tokenbook", false],
  ["postgres://me:a-password@db:5433/tokenbook", false],
  ["postgres://me:a-password@db/tokenbook?port=5433", false],
  ["postgres://me:a-password@db/other", false],
])("a place has the same name for every user and password, and for the way to it: %s: %s", (address, isSame) => {
  const names = ["postgres://me:a-password@db/tokenbook", address].map((each) => {
    const place = placeAt(each);
    return place && nameOfPlace(place);
  });
  expect(names[0] === names[1]).toBe(isSame);
});
