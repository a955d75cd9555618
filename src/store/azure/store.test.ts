import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type AzureEmulator, missingAzure, startAzure } from "../../../test/harness/azure.ts";
import { type Said, type SeenRequest, startScripted } from "../../../test/harness/scripted-http.ts";
import type { CloudSpec } from "../cloud-config.ts";
import { storeConformance } from "../conformance.ts";
import { Http } from "../http.ts";
import { prefixed } from "../prefixed.ts";
import type { Store } from "../store.ts";
import { AzureStore } from "./store.ts";

const skip = missingAzure();
let azure: AzureEmulator | undefined;
beforeAll(async () => {
  if (skip === undefined) azure = await startAzure();
}, 60_000);
afterAll(() => azure?.stop());

const key = Buffer.from("canary-4711").toString("base64");

function spec(change: Partial<CloudSpec> = {}, config: Record<string, string> = {}): CloudSpec {
  if (azure === undefined) throw new Error("no emulator");
  return {
    bucket: azure.container,
    credentials: `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${azure.key}\n`,
    config: {
      storageAccount: azure.account,
      storageAccountURI: azure.endpoint,
      storageAccountKeyEnvVar: "AZURE_STORAGE_ACCOUNT_ACCESS_KEY",
      ...config,
    },
    ...change,
  };
}

storeConformance({
  name: "AzureStore",
  skip,
  async open() {
    return { store: prefixed(new AzureStore(spec()), "some/prefix"), close: async () => undefined };
  },
});

describe.skipIf(skip !== undefined)(`Azurite${skip === undefined ? "" : ` (skipped: ${skip})`}`, () => {
  test("a wrong key is told in one sentence, without the key", async () => {
    const fault = await firstOf(
      new AzureStore(spec({ credentials: `AZURE_STORAGE_ACCOUNT_ACCESS_KEY=${key}\n` })),
    ).catch((error: unknown) => error);
    expect(fault).toMatchObject({
      code: "STORE_DENIED",
      // Azurite calls a wrong signature a missing right; Azure's own word is in the table below.
      message: expect.stringContaining("the credentials are not allowed to do this (HTTP 403"),
    });
    expect(String(fault)).not.toContain(key);
  });

  test("a container that does not exist is told by name, by every call", async () => {
    const store = new AzureStore(spec({ bucket: "nobodys" }));
    const want = {
      code: "STORE_MISSING",
      message: expect.stringMatching(
        /container "nobodys" .*: the container does not exist; create it or correct spec.objectStorage.bucket/,
      ),
    };
    await expect(firstOf(store)).rejects.toMatchObject(want);
    await expect(store.head("a")).rejects.toMatchObject(want);
    await expect(store.get("a")).rejects.toMatchObject(want);
    await expect(store.put("a", Buffer.from("x"))).rejects.toMatchObject(want);
  });

  test("blocks of the size that the location asks for make one blob", async () => {
    const store = new AzureStore(spec({}, { blockSizeInBytes: "1000" }));
    await store.put("blocks/a", Buffer.alloc(2_500, "x"));
    expect(await store.head("blocks/a")).toMatchObject({ bytes: 2_500 });
  });
});

describe("an Azure that is scripted", () => {
  let answer: (request: SeenRequest) => Said = () => ({});
  let server: Awaited<ReturnType<typeof startScripted>>;
  beforeAll(async () => {
    server = await startScripted((request) => answer(request));
  });
  afterAll(() => server.stop());

  const empty = "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>";
  const http = () => new Http({ pauseMs: 1 });
  function open(config: Record<string, string>, credentials: string): AzureStore {
    server.seen.length = 0;
    const given = {
      storageAccount: "acc",
      storageAccountURI: `${server.origin}/acc`,
      activeDirectoryAuthorityURI: server.origin,
    };
    return new AzureStore({ bucket: "backups", credentials, config: { ...given, ...config } }, http());
  }
  const byKey = () => open({ storageAccountKeyEnvVar: "K" }, `K=${key}\n`);
  const byToken = () =>
    open({ useAAD: "true" }, "AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\nAZURE_CLIENT_SECRET=canary\n");
  const error = (code: string, message: string) =>
    `<Error><Code>${code}</Code><Message>${message}\nRequestId:1</Message></Error>`;

  test.each([
    [
      403,
      "AuthenticationFailed",
      "Server failed to authenticate the request.",
      "STORE_DENIED",
      "the credentials are wrong",
    ],
    [
      403,
      "AuthenticationFailed",
      "Signature not valid in the specified time frame: expired",
      "STORE_DENIED",
      "the credentials have expired",
    ],
    [
      403,
      "AuthorizationPermissionMismatch",
      "not authorized",
      "STORE_DENIED",
      "the credentials are not allowed to do this",
    ],
    [
      403,
      "KeyBasedAuthenticationNotPermitted",
      "no keys",
      "STORE_CONFIG",
      'set the config key "useAAD" to "true"',
    ],
    [404, "ContainerNotFound", "none", "STORE_MISSING", "the container does not exist; create it"],
    [400, "InvalidResourceName", "none", "STORE_CONFIG", "the name of the container is not allowed"],
    [409, "Odd", "words", "STORE_FAILED", "HTTP 409, Odd, words"],
  ])("%i %s (%s) is %s: %s", async (status, code, message, want, words) => {
    answer = () => ({ status, body: error(code, message) });
    const fault = await firstOf(byKey()).catch((one: unknown) => one);
    expect(fault).toMatchObject({ code: want, message: expect.stringContaining(words) });
    expect(String(fault)).not.toMatch(/\n|RequestId/);
  });

  test("overload is waited for", async () => {
    answer = () =>
      server.seen.length < 3 ? { status: 503, body: error("ServerBusy", "") } : { body: empty };
    expect(await firstOf(byKey())).toBeUndefined();
    expect(server.seen).toHaveLength(3);
  });

  test("a body that is cut off fails the read instead of ending it", async () => {
    answer = () => ({ body: "half", headers: { "content-length": "8" }, cut: true });
    const body = await byKey().get("k");
    const read = async () => {
      for await (const chunk of body) expect(chunk.length).toBeLessThanOrEqual(4);
    };
    await expect(read()).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining('"k"'),
    });
  });

  test("a token is fetched once, and again when it expires in the middle", async () => {
    let valid = 1;
    let given = 0;
    answer = ({ path, headers }) => {
      if (path.includes("/oauth2/")) {
        given += 1;
        return { body: JSON.stringify({ access_token: `token-${given}`, expires_in: 3600 }) };
      }
      const isRight = headers["authorization"] === `Bearer token-${valid}`;
      return isRight
        ? { body: empty }
        : {
            status: 401,
            body: error("InvalidAuthenticationInfo", "Lifetime validation failed. The token is expired."),
          };
    };
    const store = byToken();
    await firstOf(store);
    await firstOf(store);
    expect(given).toBe(1);
    valid = 2;
    await firstOf(store);
    expect(given).toBe(2);
    valid = 4711;
    await expect(firstOf(store)).rejects.toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringContaining("the credentials have expired"),
    });
    const asked = server.seen.find(({ path }) => path.includes("/oauth2/"));
    expect(asked?.path).toBe("/t/oauth2/v2.0/token");
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: "client_credentials",
      client_id: "c",
      client_secret: "canary",
      scope: "https://storage.azure.com/.default",
    });
  });

  test.each([
    ["invalid_client", "AADSTS7000215: Invalid client secret provided.", "the credentials are wrong"],
    [
      "invalid_client",
      "AADSTS7000222: The provided client secret keys are expired.",
      "the credentials have expired",
    ],
    ["unauthorized_client", "AADSTS700016: Application not found.", "the credentials are wrong"],
  ])("the token server's %s, %s is told: %s", async (name, description, words) => {
    answer = () => ({ status: 401, body: JSON.stringify({ error: name, error_description: description }) });
    const fault = await firstOf(byToken()).catch((one: unknown) => one);
    expect(fault).toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringContaining(`cannot get a token for container "backups"`),
    });
    expect(String(fault)).toContain(words);
    expect(String(fault)).not.toContain("canary");
  });

  test("workload identity brings the token of the cluster", async () => {
    const folder = await mkdtemp(join(tmpdir(), "azure-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "token"), "of-the-cluster\n");
    const names = ["AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID", "AZURE_CLIENT_ID"] as const;
    const values = [join(folder, "token"), "t", "c"];
    names.forEach((name, at) => (process.env[name] = values[at]));
    onTestFinished(() => names.forEach((name) => delete process.env[name]));
    answer = ({ path }) => ({
      body: path.includes("/oauth2/") ? '{"access_token":"a","expires_in":3600}' : empty,
    });
    await firstOf(open({ useAAD: "true" }, ""));
    expect(new URLSearchParams(server.seen[0]?.body).get("client_assertion")).toBe("of-the-cluster");
    await rm(join(folder, "token"));
    await expect(firstOf(open({ useAAD: "true" }, ""))).rejects.toMatchObject({
      code: "STORE_CONFIG",
      message: expect.stringContaining("the token file AZURE_FEDERATED_TOKEN_FILE"),
    });
  });

  test("the machine's identity is asked where there is no other", async () => {
    process.env["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = server.origin;
    onTestFinished(() => void delete process.env["AZURE_POD_IDENTITY_AUTHORITY_HOST"]);
    answer = ({ path }) => ({
      body: path.startsWith("/metadata/") ? '{"access_token":"a","expires_in":"3600"}' : empty,
    });
    await firstOf(open({ useAAD: "true" }, "AZURE_CLIENT_ID=c"));
    const [asked] = server.seen;
    expect(asked?.headers["metadata"]).toBe("true");
    expect(new URL(asked?.path ?? "", "http://x").searchParams.get("client_id")).toBe("c");
    answer = () => ({ status: 404 });
    await expect(firstOf(open({ useAAD: "true" }, ""))).rejects.toMatchObject({
      code: "STORE_DENIED",
      message: expect.stringContaining("there are no credentials; name a Secret in spec.credential"),
    });
  });

  test("an address is signed with a key that Azure delegates to the identity", async () => {
    const parts = {
      SignedOid: "o",
      SignedTid: "t",
      SignedStart: "s",
      SignedExpiry: "e",
      SignedService: "b",
      SignedVersion: "v",
      Value: key,
    };
    const xml = Object.entries(parts)
      .map(([name, value]) => `<${name}>${value}</${name}>`)
      .join("");
    answer = ({ path }) => ({
      body: path.includes("/oauth2/")
        ? '{"access_token":"a","expires_in":3600}'
        : `<UserDelegationKey>${xml}</UserDelegationKey>`,
    });
    const url = new URL(await byToken().signedUrl("a/b", 600));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      sr: "b",
      sp: "r",
      skoid: "o",
      sktid: "t",
      sks: "b",
      sig: expect.any(String),
    });
  });

  test("nobody at the address is told with the config key to correct", async () => {
    const closed = await startScripted(() => ({}));
    await closed.stop();
    const config = { storageAccount: "acc", storageAccountURI: closed.origin, storageAccountKeyEnvVar: "K" };
    await expect(
      firstOf(new AzureStore({ bucket: "backups", credentials: `K=${key}`, config }, http())),
    ).rejects.toMatchObject({
      code: "STORE_UNREACHABLE",
      message: expect.stringContaining(
        'nobody listens at this address; correct the config key "storageAccountURI"',
      ),
    });
  });
});

async function firstOf(store: Store): Promise<unknown> {
  for await (const entry of store.list("")) return entry;
  return undefined;
}
