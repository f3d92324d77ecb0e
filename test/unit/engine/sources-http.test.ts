import { expect, test } from "vitest";
import { type Came, type Given, serve } from "./server.ts";
import { HOLDERS, Register } from "./sources.ts";

const EXACT = "12345678901234567890.000000000000000001";
const ALICE = '{"holder":"alice","balance":100.50,"other":[1]}';
const BOB = `{"holder":"bob","balance":${EXACT}}`;

const http = (more = ""): string => `{ http: env:REGISTER, ${HOLDERS}${more} }`;

/** Answers each page by its number. */
const pages =
  (name: string, ...bodies: readonly string[]) =>
  ({ query }: Came): Given => ({ body: bodies[Number(query.get(name) ?? 1) - 1] ?? "[]" });

async function api(answer: (came: Came) => Given, path = "/holders?size=1") {
  const { url, came } = await serve(answer);
  return { came, otherwise: { variables: { REGISTER: `${url}${path}`, TOKEN: "Bearer a-secret-token" } } };
}

test("the pages of an API are compared exactly, however it names the next page", async () => {
  const register = new Register();
  const linked = (page: number): Given => ({
    body: page === 1 ? `[${ALICE}]` : `[${BOB}]`,
    headers: page === 1 ? { link: '</holders?page=2>; rel="next", </x>; rel="last"' } : {},
  });
  const cases: readonly (readonly [string, (came: Came) => Given])[] = [
    ["", ({ query }) => linked(Number(query.get("page") ?? 1))],
    [
      ", each: response.items, next: response.next",
      pages("page", `{"items":[${ALICE}],"next":"?page=2"}`, `{"items":[${BOB}],"next":null}`),
    ],
    [
      `, each: response.items, next: "has(response.after) ? {'page': response.after} : {}"`,
      pages("page", `{"items":[${ALICE}],"after":2}`, `{"items":[${BOB}]}`),
    ],
    [`, next: "size(response) == 0 ? {} : {'page': page + 1}"`, pages("page", `[${ALICE}]`, `[${BOB}]`)],
  ];
  for (const [more, answer] of cases) {
    const { otherwise, came } = await api(answer);
    const { outcome, gap } = await register.compare(http(`${more}, headers: { authorization: env:TOKEN }`), otherwise);
    expect([outcome, gap], more).toEqual(["passed", ""]);
    expect(came.every(({ method, headers }) => method === "GET" && headers["authorization"] === "Bearer a-secret-token")).toBe(
      true,
    );
  }
});

test("the next page is found in every valid form of a `Link` header", async () => {
  const register = new Register();
  const links = [
    '<?page=2>;rel="next"',
    '</holders?page=2> ; rel = "next"',
    '<?page=2>; title="a, b"; rel="next"',
    '<?page=2>; title="page > 1"; rel="next"',
    String.raw`<?page=2>; title="the \"next\"; one"; rel="next"`,
    '<?page=2>; rel="last next"',
    "<?page=2>; REL=Next",
    "<?page=2>; rel='next'",
    "<?page=2>; rel=next; rel=last",
    '<?page=9>; rel="prev", , </x>; title=; crossorigin; rel="last", <?page=2>; rel="next",',
    '<?page=9>; title="<?page=8>; rel=next"; rel="first", <?page=2>; rel="https://x.example/rel NEXT"',
    "<?page=2>; rel=next, <?page=2>; rel=next",
  ];
  for (const link of links) {
    const { otherwise, came } = await api(({ query }) =>
      query.get("page") === "2"
        ? { body: `[${BOB}]`, headers: { link: '<?page=1>; rel="prev"' } }
        : { body: `[${ALICE}]`, headers: { link } },
    );
    const { outcome, gap } = await register.compare(http(), otherwise);
    expect([outcome, gap], link).toEqual(["passed", ""]);
    expect(came, link).toHaveLength(2);
  }
});

test("a `Link` header that is invalid, or names several pages, makes the list incomplete", async () => {
  const register = new Register();
  const cases: readonly (readonly [string, string])[] = [
    ["?page=2; rel=next", "cannot be read"],
    ['<?page=2>; rel="next', "cannot be read"],
    ["<?page=2; rel=next", "cannot be read"],
    ["<?page=2> rel=next", "cannot be read"],
    ["<?page=2>; rel='last next'", "cannot be read"],
    ['<?page=2>; title="a"b"; rel="next"', "cannot be read"],
    ["next", "cannot be read"],
    ["<?page=2>; rel=next, <?page=3>; rel=next", "names several next pages"],
    ['<?page=2>; rel=next; anchor="/others"', "names the next page of another address"],
  ];
  for (const [link, what] of cases) {
    const { otherwise } = await api(() => ({ body: `[${ALICE},${BOB}]`, headers: { link } }));
    const { outcome, gap } = await register.compare(http(), otherwise);
    expect(gap, link).toBe(
      `source.unreadable: the \`Link\` header of page 1 of the API ${what}; write an expression for the next page: next: response.next`,
    );
    expect(outcome).toBe("failed");
  }
  const { otherwise } = await api(() => ({ body: `[${ALICE},${BOB}]`, headers: { link: "<>; rel=next" } }));
  expect((await register.compare(http(), otherwise)).gap).toContain("paging.repeated");
});

test("a list does not end where its answer says that there is more", async () => {
  const register = new Register();
  const each = ", each: response.items";
  const rows = `"items":[${ALICE},${BOB}]`;
  const cases: readonly (readonly [more: string, body: string, gap: string])[] = [
    [each, `{${rows},"total":3}`, "its total is 3, and 2 rows were read"],
    [each, `{${rows},"meta":{"pagination":{"total_pages":2}}}`, "its meta.pagination.total_pages is 2"],
    [each, `{${rows},"_links":{"next":{"href":"?page=2"}}}`, "its _links.next names another page"],
    [each, `{${rows},"next_page_token":"abc"}`, "its next_page_token names another page"],
    [each, `{${rows},"holders":{"info":{"hasNextPage":true}}}`, "its holders.info.hasNextPage is true"],
    [
      `${each}, next: "has(response.aftr) ? {'page': response.aftr} : {}"`,
      `{${rows},"after":2,"hasMore":true}`,
      "its hasMore is true",
    ],
    [
      each,
      `{${rows},"total":2,"count":2,"totalPages":1,"next":null,"hasMore":false,"links":{"next":{}},"asset":{"total":9}}`,
      "",
    ],
    [`${each}, next: "null"`, `{${rows},"total":3,"next":"?page=2"}`, ""],
  ];
  const list = `[${ALICE},${BOB}]`;
  const withHeaders: readonly (readonly [headers: Readonly<Record<string, string>>, gap: string])[] = [
    [{ "X-Total-Count": "3" }, "its header x-total-count is 3, and 2 rows were read"],
    [{ "X-WP-TotalPages": "2", "X-WP-Total": "2" }, "its header x-wp-totalpages is 2"],
    [{ "X-Next-Page": "2" }, "its header x-next-page is 2"],
    [{ "Content-Range": "items 0-1/3" }, "its header content-range is 3"],
    [{ "X-Total-Count": "2", "X-Total-Pages": "1", "X-Next-Page": "", "Content-Range": "items 0-1/*", count: "9" }, ""],
    [{ "X-Total-Count": "3", link: '<?page=1>; rel="first"' }, ""],
  ];
  const all = [
    ...cases.map(([more, body, wanted]) => ({ more, given: { body }, wanted })),
    ...withHeaders.map(([headers, wanted]) => ({ more: "", given: { body: list, headers }, wanted })),
  ];
  for (const { more, given, wanted } of all) {
    const { otherwise } = await api(() => given);
    const { outcome, gap } = await register.compare(http(more), otherwise);
    expect([outcome, gap], JSON.stringify(given)).toEqual([
      wanted === "" ? "passed" : "failed",
      wanted === "" ? "" : expect.stringContaining(wanted),
    ]);
  }
});

test("an API that does not give everything makes the comparison incomplete, and its keys are sent nowhere else", async () => {
  const register = new Register();
  const { url: other, came: stolen } = await serve(() => ({ body: `[${BOB}]` }));
  const cases: readonly (readonly [string, (came: Came) => Given, string])[] = [
    [
      "",
      () => ({ status: 302, headers: { location: other }, body: "" }),
      "source.refused: the API answered with HTTP 302; give the address to which it leads: tokenbook follows no redirect",
    ],
    [
      "",
      () => ({ status: 403, body: '{"error":"no"}' }),
      "source.refused: the API answered with HTTP 403; check the address and the headers",
    ],
    ["", () => ({ status: 503, body: "" }), "source.refused: the API answered with HTTP 503"],
    ["", () => ({ body: "<html>" }), "source.unreadable: the answer of the API is no JSON"],
    [
      "",
      () => ({ body: Buffer.from(`[${ALICE},${BOB.replace("bob", "Jos\u00e9")}]`, "latin1") }),
      "source.unreadable: the answer of the API is no JSON: it is no text in UTF-8",
    ],
    [
      ", each: response.items",
      () => ({ body: `{"items":[${ALICE}],"items":[${BOB}]}` }),
      'source.unreadable: the answer of the API is no JSON: the name "items" is twice in one object',
    ],
    [
      "",
      () => ({ body: `{"items":[${ALICE}]}` }),
      "source.unreadable: page 1 of the API has no list of rows; name the list: each: response.items",
    ],
    [
      "",
      () => ({ body: `[${ALICE},{"holder":"bob"},7]` }),
      'reconcile.row: page 1, record 2 (row) lacks the field "balance", and 1 row more does not fit',
    ],
    [
      ", each: response.items, next: response.next",
      () => ({ body: `{"items":[${ALICE}],"next":"/holders?size=1"}` }),
      "paging.repeated: page 2 of the API has the address of an earlier page",
    ],
    [
      ", each: response.items, next: response.next",
      () => ({ body: `{"items":[${ALICE}],"next":"${other}"}` }),
      "is no address of the same server, and no map of parameters",
    ],
    ["", () => ({ body: `[${ALICE}]`, headers: { link: `<${other}>; rel=next` } }), "is no address of the same server"],
  ];
  for (const [more, answer, message] of cases) {
    const { otherwise } = await api(answer);
    const { outcome, gap } = await register.compare(http(`${more}, headers: { authorization: env:TOKEN }`), otherwise);
    expect(gap).toContain(message);
    expect(outcome).toBe("failed");
  }
  expect(stolen).toEqual([]);
});

test("a request to an API that fails for a moment is repeated", async () => {
  let failures = 2;
  const { otherwise, came } = await api(() =>
    failures-- > 0 ? { status: 503, headers: { "retry-after": "1" }, body: "" } : { body: `[${ALICE},${BOB}]` },
  );
  const { outcome } = await new Register().compare(http(), otherwise);
  expect(outcome).toBe("passed");
  expect(came).toHaveLength(3);
});

test("the message about an unreachable API, or one without a usable address or key, shows neither address nor key", async () => {
  const register = new Register();
  const compare = async (address: string, token = "Bearer x1"): Promise<string> => {
    const variables = { REGISTER: address, TOKEN: token };
    const { outcome, gap } = await register.compare(http(", headers: { authorization: env:TOKEN }"), { variables });
    expect(outcome).toBe("failed");
    return gap;
  };
  expect(await compare("http://127.0.0.1:9/a-secret-path")).toContain(
    "source.unreachable: the API gave no answer: connect ECONNREFUSED",
  );
  for (const address of ["a-secret-path", "ftp://host/a-secret-path", "http://user:a-secret-word@host/"])
    expect(await compare(address)).toBe(
      "source.unreachable: the address of the API is wrong; write it so: https://HOST/PATH, and give a key under `headers`",
    );
  expect(await compare("http://127.0.0.1:9/", "a-secret\nkey")).toContain(
    'the value of the header "authorization" has characters that no HTTP header takes',
  );
});
