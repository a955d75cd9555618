import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../../test/harness/listen.ts";
import { chooseContext, mergeKubeconfigs } from "./kubeconfig.ts";
import { endOf, oidcCredentials } from "./oidc.ts";

const token = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.s`;

/** An identity provider, and a kubeconfig that names it. */
async function open(answer: object, code = 200) {
  const asked: string[] = [];
  const { url: issuer } = await listen((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      asked.push(`${request.method} ${request.url} ${body}`.trim());
      const found = request.method === "GET" ? { token_endpoint: `${issuer}/token` } : answer;
      response.writeHead(request.method === "GET" ? 200 : code).end(JSON.stringify(found));
    });
  });
  const dir = mkdtempSync(join(tmpdir(), "oidc-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, "config");
  const text = `
# kept
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://c"}}]
users:
- name: u
  user:
    auth-provider:
      name: oidc
      config: {id-token: ${token(100)}, refresh-token: r1, idp-issuer-url: "${issuer}", client-id: me, client-secret: s}
`;
  writeFileSync(path, text, { mode: 0o600 });
  return { asked, path, user: chooseContext(mergeKubeconfigs([{ path, text }])).user };
}

test("oidcCredentials() uses the token while it is good", async () => {
  const { asked, user } = await open({});
  expect(await oidcCredentials(user, () => 60_000).get()).toEqual({ token: token(100) });
  expect(asked).toEqual([]);
});

test("oidcCredentials() refreshes a token that ended, once for many, and keeps both in the kubeconfig", async () => {
  const { asked, path, user } = await open({ id_token: token(9_999), refresh_token: "r2" });
  const source = oidcCredentials(user, () => 100_000);
  const got = await Promise.all([source.get(), source.get()]);
  expect(got).toEqual([{ token: token(9_999) }, { token: token(9_999) }]);
  expect(asked).toEqual([
    "GET /.well-known/openid-configuration",
    "POST /token grant_type=refresh_token&refresh_token=r1&client_id=me&client_secret=s",
  ]);
  const kept = readFileSync(path, "utf8");
  expect(kept).toContain("refresh-token: r2");
  expect(kept).toContain("# kept");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("oidcCredentials() refreshes after the server refused the token", async () => {
  const { user } = await open({ id_token: token(9_999) });
  const source = oidcCredentials(user, () => 0);
  await source.get();
  expect(source.refused()).toBe(true);
  expect(await source.get()).toEqual({ token: token(9_999) });
});

test.each([
  ["the provider refuses", { error: "invalid_grant" }, 400, "answered 400"],
  ["there is no token in the answer", {}, 200, "without an id token"],
])("oidcCredentials() says that %s", async (_name, answer, code, message) => {
  const { user } = await open(answer, code);
  const got = oidcCredentials(user, () => 100_000).get();
  await expect(got).rejects.toMatchObject({ code: "KUBE_CREDENTIALS" });
  await expect(got).rejects.toThrow(message);
});

test("endOf() of what is no token is never", () => {
  expect([endOf("opaque"), endOf(token(5))]).toEqual([Number.POSITIVE_INFINITY, 5_000]);
});
