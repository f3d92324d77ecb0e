import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { type Json, plainView } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE, type Profile, profileWith } from "../../../src/contract/profile.ts";
import { inputParameters } from "../../../src/operations/input.ts";
import { type Operation, operations } from "../../../src/operations/operation.ts";
import type { RunEvent } from "../../../src/protocol/record.ts";
import { patientTargetAt, targetAt } from "../../engine-parts.ts";
import { type Came, type Given, type Ran, runnerForTest, serve, type Served } from "./server.ts";

const paged = [...operations.values()].filter(({ call }) => call.paging !== undefined);
const byBookmark = paged.filter(({ call }) => call.paging !== undefined && call.interface === "ledger");
const byNumber = paged.filter(({ call }) => call.paging !== undefined && call.interface === "investor");

const OTHER = profileWith({
  ledger: { parameters: { pageSize: "size", bookmark: "after" }, pageSize: 3 },
  investor: { parameters: { page: "p", limit: "per" }, pageSize: 3 },
});

function named(operations_: readonly Operation[]): readonly (readonly [string, Operation])[] {
  return operations_.map((operation) => [operation.name, operation] as const);
}

function namesIn(profile: Profile, { call }: Operation): { readonly page: string; readonly size: string } {
  const { ledger, investor } = profile;
  return call.interface === "ledger"
    ? { page: ledger.parameters.bookmark, size: ledger.parameters.pageSize }
    : { page: investor.parameters.page, size: investor.parameters.limit };
}

/** Returns a playbook with one step that reads a list. */
function listing(operation: Operation, pages: string | number, size?: number): string {
  const required = inputParameters(operation).filter((parameter) => parameter.required);
  const ledger = operation.call.interface === "ledger";
  const input = {
    ...Object.fromEntries(required.map(({ name, schema }) => [name, schema.examples?.[0] as Json])),
    ...(size === undefined ? {} : { [ledger ? "pageSize" : "limit"]: size }),
  };
  return `playbook: 1
name: Read a list
actors: { issuer: { ledger: "userId:alice" }, buyer: { investor: BUYER_KEY } }
steps:
  - { id: list, as: ${ledger ? "issuer" : "buyer"}, uses: ${operation.name}, pages: ${pages}, with: ${JSON.stringify(input)} }
`;
}

function idsIn({ completed }: Ran, { call }: Operation): readonly unknown[] {
  const response = plainView(completed[0]?.value["response"]) as Readonly<Record<string, unknown>> | readonly unknown[];
  const list = call.interface === "ledger" ? response : (response as Readonly<Record<string, unknown>>)[call.paging?.items ?? ""];
  return (list as readonly { readonly id: unknown }[]).map(({ id }) => id);
}

const ALL = ["A", "B", "C", "D", "E", "F", "G"].map((id) => ({ id }));

// Serves a list of seven things. The service knows only the parameter names of one profile.
function serveList(operation: Operation, profile: Profile): Promise<Served> {
  const { page, size } = namesIn(profile, operation);
  const others = namesIn(profile === OTHER ? DEFAULT_PROFILE : OTHER, operation);
  return serve(({ query }) => {
    if (query.has(others.page) || query.has(others.size)) return { status: 400, body: '{"message":"invalid parameters"}' };
    const perPage = Number(query.get(size) ?? profile.ledger.pageSize);
    const at = query.get(page);
    return operation.call.interface === "ledger" ? bookmarked(perPage, at ?? "0") : numbered(operation, perPage, Number(at ?? 1));
  });
}

function bookmarked(perPage: number, bookmark: string): Given {
  const from = Number(bookmark);
  const records = ALL.slice(from, from + perPage);
  const next = from + perPage < ALL.length ? String(from + perPage) : "";
  return { body: JSON.stringify({ count: records.length, bookmark: next, records }) };
}

function numbered({ name, call }: Operation, limit: number, page: number): Given {
  const items = ALL.slice((page - 1) * limit, page * limit);
  const pagination = { page, limit, totalPages: Math.ceil(ALL.length / limit), totalItems: ALL.length };
  const list = { [call.paging?.items ?? ""]: items };
  const body =
    name === "investor.sales.list"
      ? { status: "SUCCESS", response: { ...list, pagination } }
      : { status: 1, response: list, pagination };
  return { body: JSON.stringify(body) };
}

test("both interfaces have paged operations", () => {
  expect([byBookmark.length, byNumber.length]).toEqual([7, 4]);
});

test.for(named(paged))(
  "%s is read to its end, or for as many pages as the playbook says, with the page size that it names",
  async ([, operation]) => {
    const run = runnerForTest();
    for (const profile of [DEFAULT_PROFILE, OTHER]) {
      const { url, came } = await serveList(operation, profile);
      const target = targetAt(url, profile);
      const { page, size } = namesIn(profile, operation);
      for (const [pages, expected, requests] of [
        ["all", "ABCDEFG", 3],
        ["first", "ABC", 1],
        [1, "ABC", 1],
        [2, "ABCDEF", 2],
        [3, "ABCDEFG", 3],
        [100, "ABCDEFG", 3],
      ] as const) {
        const before = came.length;
        const ran = await run(listing(operation, pages, 3), target);
        expect(ran.outcome, JSON.stringify(ran)).toBe("passed");
        expect(idsIn(ran, operation).join("")).toBe(expected);
        const asked = came.slice(before);
        expect(asked.map(({ query }) => query.get(size))).toEqual(Array.from({ length: requests }, () => "3"));
        const places = operation.call.interface === "ledger" ? [null, "3", "6"] : [null, "2", "3"];
        expect(asked.map(({ query }) => query.get(page))).toEqual(places.slice(0, requests));
        expect(ran.completed[0]?.requests).toBe(requests);
      }
    }
  },
);

test.for(named(paged))(
  "%s without a page size uses the one of the profile, or else the one of the service",
  async ([, operation]) => {
    const run = runnerForTest();
    for (const [profile, size] of [
      [OTHER, "3"],
      [DEFAULT_PROFILE, null],
    ] as const) {
      const { url, came } = await serveList(operation, profile);
      expect(idsIn(await run(listing(operation, "all"), targetAt(url, profile)), operation)).toHaveLength(7);
      expect(came.map(({ query }) => query.get(namesIn(profile, operation).size))).toEqual(
        Array.from({ length: size === null ? 1 : 3 }, () => size),
      );
    }
  },
);

test("an answer that exceeds the byte limit is requested once, and the message says what to do", async () => {
  const record = `{"id":"A","tokenId":"T","entity":{"userId":"alice"},"balance":1}`;
  const body = `[${`${record},`.repeat(Math.ceil(LIMITS.answerBytes / record.length))}${record}]`;
  const { url, came } = await serve(() => ({ body }));
  const accounts = "playbook: 1\nsteps: [{ as: { ledger: 'userId:alice' }, uses: ledger.account.list, with: { tokenId: T } }]\n";
  const ran = await runnerForTest()(accounts, patientTargetAt(url));
  expect(ran, JSON.stringify(ran)).toMatchObject({
    outcome: "failed",
    stopped: {
      problem: {
        code: "service.answer-too-large",
        message: "ledger.account.list: the answer is larger than 67,108,864 bytes",
        next: expect.stringContaining("compare it by `reconcile` with `read`"),
      },
    },
  });
  expect(came).toHaveLength(1);
});

test.for(named(paged))(
  "%s: an observer gets an event for each page after the first, with all rows so far",
  async ([, operation]) => {
    const { url } = await serveList(operation, DEFAULT_PROFILE);
    const pages: unknown[] = [];
    const observe = (event: RunEvent): void => {
      if (event.kind === "step.reading") pages.push([event.step, event.pages, event.rows]);
    };
    await runnerForTest()(listing(operation, "all", 3), targetAt(url), { observe });
    expect(pages).toEqual([
      ["list", 2, 6],
      ["list", 3, 7],
    ]);
  },
);

/** Serves these pages one after the other, whatever the client requests. Repeats the last page. */
async function servePages(...bodies: readonly unknown[]): Promise<Served> {
  let at = 0;
  return serve(() => ({ body: JSON.stringify(bodies[Math.min(at++, bodies.length - 1)]) }));
}

const [a, b, c] = ["A", "B", "C"].map((id) => ({ id }));

test.for(named(byBookmark))("%s: every form of an empty list and of a last page is accepted", async ([, operation]) => {
  const run = runnerForTest();
  const ways: readonly (readonly [readonly unknown[], string, number])[] = [
    [[{ count: 0, bookmark: "", records: [] }], "", 1],
    [[{ count: 0, records: null }], "", 1],
    [[{ count: 0 }], "", 1],
    [[{ count: 2, records: [a, b] }], "AB", 1],
    [[{ count: 2, bookmark: null, records: [a, b] }], "AB", 1],
    [[{ count: 1, bookmark: "left over", records: [a] }, { count: 0 }], "A", 2],
    [
      [
        { count: 2, bookmark: "1", records: [a, b] },
        { count: 1, bookmark: "left over", records: [c] },
        { count: 0, bookmark: "left over", records: [] },
      ],
      "ABC",
      3,
    ],
    [[{ count: 2, bookmark: "1", records: [a, b] }, { count: 0 }], "AB", 2],
  ];
  for (const [pages, expected, requests] of ways) {
    const { url, came } = await servePages(...pages);
    const ran = await run(listing(operation, "all", 2), targetAt(url));
    expect(ran.outcome, JSON.stringify([pages, ran])).toBe("passed");
    expect(idsIn(ran, operation).join("")).toBe(expected);
    expect(came).toHaveLength(requests);
  }
});

test.for(named(byBookmark))(
  "%s is read to its end although the service gives fewer records on a page than requested",
  async ([, operation]) => {
    const { url, came } = await serve(({ query }) => bookmarked(2, query.get("bookmark") ?? "0"));
    const ran = await runnerForTest()(listing(operation, "all", 500), targetAt(url));
    expect(idsIn(ran, operation).join("")).toBe("ABCDEFG");
    expect(came.map(({ query }) => query.get("pageSize"))).toEqual(["500", "500", "500", "500"]);
  },
);

test.for(named(byBookmark))("%s: a list whose pages repeat or end too early is not used", async ([, operation]) => {
  const run = runnerForTest();
  const page = (bookmark: unknown) => ({ count: 2, bookmark, records: [a, b] });
  for (const [pages, code, requests] of [
    [[page("1"), page("1")], "paging.repeated", 2],
    [[page("1"), page("2"), page("1")], "paging.repeated", 3],
    [
      [
        { count: 1, bookmark: "1", records: [a] },
        { count: 1, bookmark: "1", records: [b] },
      ],
      "paging.repeated",
      2,
    ],
    [[page("1"), { count: 0, bookmark: "2", records: [] }, page("")], "paging.empty", 2],
    [[page("1"), page("2"), { count: 0, bookmark: "1", records: [] }], "paging.repeated", 3],
    [[{ count: 0, bookmark: "1", records: [] }, page("")], "paging.empty", 1],
    [[page("1"), {}], "service.unreadable", 2],
    [[{ count: 3, bookmark: "", records: [a, b] }], "service.unreadable", 1],
    [[page("1"), { count: 2, bookmark: "", records: [c] }], "service.unreadable", 2],
    [[page("1"), { count: 2, bookmark: "", records: null }], "service.unreadable", 2],
    [[page(7)], "service.unreadable", 1],
  ] as const) {
    const { url, came } = await servePages(...pages);
    const ran = await run(listing(operation, "all", 2), targetAt(url));
    const next = code === "paging.empty" ? { next: expect.stringMatching(/: profile\.ledger\.lastBookmark$/) as string } : {};
    expect(ran, JSON.stringify(pages)).toMatchObject({
      outcome: "failed",
      completed: [],
      stopped: { problem: { code, ...next } },
    });
    expect(came).toHaveLength(requests);
  }
  const { url } = await servePages(page("1"), page("1"));
  expect(await run(listing(operation, 2, 2), targetAt(url))).toMatchObject({ stopped: { problem: { code: "paging.repeated" } } });
});

test.for(named(byNumber))("%s: a page without its number, or with another number, is not used", async ([, operation]) => {
  const run = runnerForTest();
  const page = (pagination: object | undefined, items: readonly unknown[] = [a, b]) => {
    const { paging } = operation.call;
    return {
      status: operation.name === "investor.sales.list" ? "SUCCESS" : 1,
      response: { [paging?.items ?? ""]: items },
      pagination,
    };
  };
  for (const [pages, code, requests] of [
    [[page(undefined)], "paging.unknown", 1],
    [[page({ page: 1 })], "paging.unknown", 1],
    [[page({ page: 1, totalPages: -1 })], "paging.unknown", 1],
    [[page({ page: 1, totalPages: 0.5 })], "paging.unknown", 1],
    [[page({ page: 1, totalPages: 0 })], "paging.count", 3],
    [[page({ page: 1, totalPages: 3 })], "paging.other-page", 2],
    [[page({ page: 2, totalPages: 3 })], "paging.other-page", 1],
    [[page({ page: 0, totalPages: 1 })], "paging.other-page", 1],
    [[page({ totalPages: 2 }), page({ totalPages: 2 })], "paging.repeated", 2],
    [[1, 2, 3].flatMap(() => [page({ totalPages: 3 }), page({ totalPages: 1 }, [])]), "paging.count", 6],
    [[page({ totalPages: 3 }), page({ totalPages: 3 }, [])], "paging.empty", 2],
    [[page({ page: 1, totalPages: LIMITS.pages + 1 })], "paging.limit", 1],
    [[page({ page: 1, totalPages: 1e300 })], "paging.limit", 1],
    [[page({ totalPages: 2 }), { status: 0, response: {} }], "service.unreadable", 2],
    [[page({ page: 1, totalPages: 1, totalItems: 3 })], "paging.count", 3],
    [
      [1, 2, 3].flatMap(() => [page({ totalPages: 2, totalItems: 5 }), page({ totalPages: 2, totalItems: 5 }, [c])]),
      "paging.count",
      6,
    ],
    [[page({ page: 1, totalPages: 0, totalItems: 0 })], "paging.count", 3],
  ] as const) {
    const { url, came } = await servePages(...pages);
    const ran = await run(listing(operation, "all", 2), targetAt(url));
    expect(ran, JSON.stringify(pages)).toMatchObject({ outcome: "failed", completed: [], stopped: { problem: { code } } });
    expect(came).toHaveLength(requests);
  }
  const { url } = await servePages(page(undefined));
  expect(idsIn(await run(listing(operation, "first", 2), targetAt(url)), operation)).toEqual(["A", "B"]);
  const some = await servePages(page({ page: 1, totalPages: 2, totalItems: 4 }));
  expect(await run(listing(operation, "first", 2), targetAt(some.url))).toMatchObject({ outcome: "passed" });
  // A new record came in above, so the second page repeats the last record of the first page.
  const grown = await servePages(
    page({ page: 1, totalPages: 2, totalItems: 3 }),
    page({ page: 2, totalPages: 2, totalItems: 4 }, [b, c]),
    page({ page: 1, totalPages: 2, totalItems: 4 }, [{ id: "Z" }, a]),
    page({ page: 2, totalPages: 2, totalItems: 4 }, [b, c]),
  );
  expect(idsIn(await run(listing(operation, "all", 2), targetAt(grown.url)), operation).join("")).toBe("ZABC");
  expect(grown.came).toHaveLength(4);
  // A new record came in above, and a record that was already read was removed. The totals are unchanged, but a record would be missing.
  const shifted = await servePages(
    page({ page: 1, totalPages: 2, totalItems: 4 }),
    page({ page: 2, totalPages: 2, totalItems: 4 }, [b, { id: "E" }]),
    page({ page: 1, totalPages: 2, totalItems: 4 }, [{ id: "Z" }, b]),
    page({ page: 2, totalPages: 2, totalItems: 4 }, [c, { id: "E" }]),
  );
  expect(idsIn(await run(listing(operation, "all", 2), targetAt(shifted.url)), operation).join("")).toBe("ZBCE");
  const moved = await servePages(
    page({ page: 1, totalPages: 1, totalItems: 3 }),
    page({ page: 1, totalPages: 1, totalItems: 2 }),
  );
  expect(idsIn(await run(listing(operation, "all"), targetAt(moved.url)), operation).join("")).toBe("AB");
  expect(moved.came).toHaveLength(2);
  const none = await servePages(page({ page: 1, totalPages: 0, totalItems: 0 }, []));
  expect(await run(listing(operation, "all"), targetAt(none.url))).toMatchObject({ outcome: "passed" });
});

test("a history or the content of a vault is not used if it has fewer records than its count", async () => {
  const run = runnerForTest();
  const reads = {
    records: "ledger.asset.history, with: { assetType: Property, id: A }",
    assets: "ledger.vault.assets, with: { id: V }",
  };
  for (const [list, read] of Object.entries(reads)) {
    const text = `playbook: 1\nsteps:\n  - { id: list, uses: ${read} }\n`;
    for (const answer of [{ count: 3, [list]: [a, b] }, { count: 3 }]) {
      const { url } = await servePages(answer);
      const code = "service.unreadable";
      expect(await run(text, targetAt(url))).toMatchObject({ outcome: "failed", completed: [], stopped: { problem: { code } } });
    }
    const { url } = await servePages({ count: 2, [list]: [a, b] });
    expect(await run(text, targetAt(url))).toMatchObject({ outcome: "passed" });
  }
});

test("a page that fails is requested again, and a list without it is not used", async () => {
  const run = runnerForTest();
  let failures = 0;
  const answer = ({ query }: Came): Given => {
    if (query.has("bookmark") && failures-- > 0) return { status: 503, body: "busy" };
    return { body: JSON.stringify({ count: 2, bookmark: query.has("bookmark") ? "" : "1", records: [a, b] }) };
  };
  const { url, came } = await serve(answer);
  const [operation] = byBookmark;
  if (operation === undefined) throw new Error("there is a paged operation");
  failures = 2;
  expect(idsIn(await run(listing(operation, "all", 2), targetAt(url)), operation)).toHaveLength(4);
  expect(came).toHaveLength(4);
  failures = 99;
  expect(await run(listing(operation, "all", 2), targetAt(url))).toMatchObject({ outcome: "failed", completed: [] });
  expect(came).toHaveLength(4 + 1 + LIMITS.readAttempts);
});

test("a list that never ends is read up to the limit, and is not used", async () => {
  let next = 0;
  const { url, came } = await serve(() => ({ body: `{"count":1,"bookmark":"${++next}","records":[{"id":"A"}]}` }));
  const [operation] = byBookmark;
  if (operation === undefined) throw new Error("there is a paged operation");
  const ran = await runnerForTest()(listing(operation, "all", 1), targetAt(url));
  expect(ran).toMatchObject({ outcome: "failed", completed: [], stopped: { problem: { code: "paging.limit" } } });
  expect(came).toHaveLength(LIMITS.pages);
});
