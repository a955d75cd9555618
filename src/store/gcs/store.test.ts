import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type GcsEmulator, missingGcs, serviceAccountKey, startGcs } from "../../../test/harness/gcs.ts";
import { type Said, type SeenRequest, startScripted } from "../../../test/harness/scripted-http.ts";
import type { CloudSpec } from "../cloud-config.ts";
import { storeConformance } from "../conformance.ts";
import { Http } from "../http.ts";
import { prefixed } from "../prefixed.ts";
import type { Store } from "../store.ts";
import { GcsStore } from "./store.ts";

const skip = missingGcs();
let gcs: GcsEmulator | undefined;
beforeAll(async () => {
  if (skip === undefined) gcs = await startGcs();
}, 60_000);
afterAll(() => gcs?.stop());

function spec(change: Partial<CloudSpec> = {}, config: Record<string, string> = {}): CloudSpec {
  if (gcs === undefined) throw new Error("no emulator");
  const { bucket, credentials, origin } = gcs;
  return { bucket, credentials, config: { storeEndpoint: origin, ...config }, ...change };
}

storeConformance({
  name: "GcsStore",
  skip,
  checksSignatures: false,
  async open() {
    return { store: prefixed(new GcsStore(spec()), "some/prefix"), close: async () => undefined };
  },
});

describe.skipIf(skip !== undefined)(
  `fake-gcs-server${skip === undefined ? "" : ` (skipped: ${skip})`}`,
  () => {
    test("a bucket that does not exist is told by name", async () => {
      await expect(firstOf(new GcsStore(spec({ bucket: "nobodys" })))).rejects.toMatchObject({
        code: "STORE_MISSING",
        message: expect.stringContaining('"nobodys"'),
      });
    });
  },
);

describe("a Google that is scripted", () => {
  let answer: (request: SeenRequest) => Said = () => ({});
  let server: Awaited<ReturnType<typeof startScripted>>;
  let credentials = "";
  beforeAll(async () => {
    server = await startScripted((request) => answer(request));
    credentials = serviceAccountKey(`${server.origin}/token`);
  });
  afterAll(() => server.stop());

  const token = { body: '{"access_token":"canary-token","expires_in":3600}' };
  const http = () => new Http({ pauseMs: 1 });
  function open(config: Record<string, string> = {}, text: string | undefined = credentials): GcsStore {
    server.seen.length = 0;
    const given = { bucket: "backups", config: { storeEndpoint: server.origin, ...config } };
    return new GcsStore({ ...given, ...(text !== "" && { credentials: text }) }, http());
  }
  const refuse = (status: number, reason: string, message: string): Said => ({
    status,
    body: JSON.stringify({ error: { code: status, message, errors: [{ reason }] } }),
  });
  const beside = (said: () => Said) => (request: SeenRequest) => (request.path === "/token" ? token : said());

  test.each([
    [
      404,
      "notFound",
      "The specified bucket does not exist.",
      "STORE_MISSING",
      "the bucket does not exist; create it",
    ],
    [401, "authError", "Invalid Credentials", "STORE_DENIED", "the credentials are wrong"],
    [
      403,
      "forbidden",
      "x does not have storage.objects.list access",
      "STORE_DENIED",
      "not allowed to do this (HTTP 403, forbidden, x does not have",
    ],
    [400, "invalid", "words", "STORE_FAILED", "HTTP 400, invalid, words"],
  ])("%i %s (%s) is %s: %s", async (status, reason, message, code, words) => {
    answer = beside(() => refuse(status, reason, message));
    const fault = await firstOf(open()).catch((one: unknown) => one);
    expect(fault).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(String(fault)).not.toContain("canary");
  });

  test.each([
    ["Invalid JWT Signature.", "the credentials are wrong"],
    ["Invalid grant: account not found", "the credentials are wrong"],
    ["Token has been expired or revoked.", "the credentials have expired"],
  ])("the token server's %s is told: %s", async (description, words) => {
    answer = () => ({
      status: 400,
      body: JSON.stringify({ error: "invalid_grant", error_description: description }),
    });
    await expect(firstOf(open())).rejects.toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringMatching(new RegExp(`^cannot get a token for bucket "backups" .*: ${words}`)),
    });
  });

  test("nobody at the address is told with the config key to correct", async () => {
    const closed = await startScripted(() => ({}));
    await closed.stop();
    answer = beside(() => ({ body: "{}" }));
    await expect(firstOf(open({ storeEndpoint: closed.origin }))).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining(
        'nobody listens at this address; correct the config key "storeEndpoint"',
      ),
    });
  });

  test("a token that expires in the middle is replaced, once", async () => {
    let refused = 1;
    answer = beside(() => (refused-- > 0 ? refuse(401, "authError", "Invalid Credentials") : { body: "{}" }));
    expect(await firstOf(open())).toBeUndefined();
    expect(server.seen.filter(({ path }) => path === "/token")).toHaveLength(2);
  });

  test("the key of encryption goes with every write", async () => {
    answer = beside(() => ({ body: "{}" }));
    const store = open({ kmsKeyName: "projects/p/keys/k" });
    await store.put("a b", Buffer.from("x"));
    const { path = "" } = server.seen.at(-1) ?? {};
    expect(path).toContain("kmsKeyName=projects%2Fp%2Fkeys%2Fk");
    expect(path).toContain("uploadType=media&name=a%20b");
  });

  test("of a piece that was kept in part the rest is sent", async () => {
    const ranges: unknown[] = [];
    answer = beside(() => {
      const last = server.seen.at(-1);
      if (last?.method === "POST") return { headers: { location: `${server.origin}/session` } };
      ranges.push(last?.headers["content-range"]);
      if (ranges.length === 1) return { status: 308, headers: { range: "bytes=0-4194303" } };
      return ranges.length === 2 ? { status: 308, headers: { range: "bytes=0-8388607" } } : { body: "{}" };
    });
    await open().put("big", Buffer.alloc(9_000_000));
    expect(ranges).toEqual(["bytes 0-8388607/*", "bytes 4194304-8388607/*", "bytes 8388608-8999999/9000000"]);
  });

  test("an upload that fails is dropped", async () => {
    answer = beside(() => {
      const { method } = server.seen.at(-1) ?? { method: "" };
      if (method === "POST") return { headers: { location: `${server.origin}/session` } };
      return method === "DELETE" ? { status: 499 } : refuse(403, "forbidden", "no");
    });
    await expect(open().put("big", Buffer.alloc(9_000_000))).rejects.toMatchObject({ code: "STORE_DENIED" });
    expect(server.seen.at(-1)).toMatchObject({ method: "DELETE", path: "/session" });
  });

  test("addresses are signed with the account's key, as Google checks them", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = privateKey.export({ type: "pkcs8", format: "pem" });
    const text = JSON.stringify({ type: "service_account", client_email: "a@b", private_key: pem });
    const url = new URL((await open({}, text).signedUrl("a b/c", 600)) ?? "");
    expect(url.pathname).toBe("/backups/a%20b/c");
    const signature = url.searchParams.get("X-Goog-Signature") ?? "";
    const query = url.search.slice(1).replace(/&X-Goog-Signature=.*$/, "");
    const { createHash } = await import("node:crypto");
    const asked = ["GET", url.pathname, query, `host:${url.host}`, "", "host", "UNSIGNED-PAYLOAD"].join("\n");
    const date = url.searchParams.get("X-Goog-Date") ?? "";
    const scope = `${date.slice(0, 8)}/auto/storage/goog4_request`;
    const signed = ["GOOG4-RSA-SHA256", date, scope, createHash("sha256").update(asked).digest("hex")].join(
      "\n",
    );
    expect(createVerify("sha256").update(signed).verify(publicKey, signature, "hex")).toBe(true);
  });

  test("another provider's identity is exchanged, and acts for a service account", async () => {
    const folder = await mkdtemp(join(tmpdir(), "gcs-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "token"), '{"id":"of-the-cluster"}');
    const external = JSON.stringify({
      type: "external_account",
      audience: "//pool",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${server.origin}/token`,
      service_account_impersonation_url: `${server.origin}/v1/projects/-/serviceAccounts/a@b:generateAccessToken`,
      credential_source: {
        file: join(folder, "token"),
        format: { type: "json", subject_token_field_name: "id" },
      },
    });
    answer = ({ path }) => {
      if (path === "/token") return token;
      const expireTime = new Date(Date.now() + 3_600_000).toISOString();
      return path.endsWith(":generateAccessToken")
        ? { body: JSON.stringify({ accessToken: "second", expireTime }) }
        : { body: "{}" };
    };
    await firstOf(open({}, external));
    expect(new URLSearchParams(server.seen[0]?.body).get("subject_token")).toBe("of-the-cluster");
    expect(server.seen.map(({ headers }) => headers["authorization"])).toEqual([
      undefined,
      "Bearer canary-token",
      "Bearer second",
    ]);
  });

  test("where nobody signs there is no address, and whoever asks is served otherwise", async () => {
    expect(await open({}, "").signedUrl("a", 60)).toBeUndefined();
  });

  test("the machine is asked for a token where there are no credentials", async () => {
    process.env["GCE_METADATA_HOST"] = new URL(server.origin).host;
    onTestFinished(() => void delete process.env["GCE_METADATA_HOST"]);
    answer = ({ path }) => (path.startsWith("/computeMetadata/") ? token : { body: "{}" });
    expect(await firstOf(open({}, ""))).toBeUndefined();
    expect(server.seen[0]?.headers["metadata-flavor"]).toBe("Google");
    answer = () => ({ status: 404, body: "{}" });
    await expect(firstOf(open({}, ""))).rejects.toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringContaining("there are no credentials; name a Secret in spec.credential"),
    });
  });
});

async function firstOf(store: Store): Promise<unknown> {
  for await (const entry of store.list("")) return entry;
  return undefined;
}
