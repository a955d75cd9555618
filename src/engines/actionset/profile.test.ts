import { expect, test } from "vitest";
import { ApiError, type Client, type Resource } from "../../kube/index.ts";
import { profileFaults, resolveProfile } from "./profile.ts";

const b64 = (text: string) => Buffer.from(text).toString("base64");
const location = { type: "s3Compliant", bucket: "b", region: "eu", endpoint: "http://s3", prefix: "" };
const keyPair = { idField: "id", secretField: "key", secret: { name: "keys", namespace: "n" } };

function client(objects: Readonly<Record<string, object>>): Pick<Client, "get" | "list"> {
  const get = async ({ kind }: Resource, name: string) => {
    const found = objects[`${kind}/${name}`];
    if (found) return { metadata: { name, namespace: "n" }, ...found };
    throw new ApiError("get", { code: 404, reason: "NotFound", message: "no" });
  };
  return { get, list: async () => [] } as unknown as Pick<Client, "get" | "list">; // as much as is asked for
}
const signal = new AbortController().signal;
const resolve = (objects: Readonly<Record<string, object>>) =>
  resolveProfile(client(objects), { name: "p", namespace: "n" }, signal);

test("resolveProfile() reads a key pair", async () => {
  const found = await resolve({
    "Profile/p": { location, credential: { type: "keyPair", keyPair }, skipSSLVerify: true },
    "Secret/keys": { data: { id: b64("ID"), key: b64("KEY") } },
  });
  expect(found).toEqual({
    name: "p",
    location,
    credential: { type: "keyPair", keyPair: { id: "ID", secret: "KEY" } },
    skipSslVerify: true,
  });
});

test("resolveProfile() reads a Secret of a known type, a kopia server and a folder without credentials", async () => {
  const secret = { name: "aws", namespace: "n" };
  const aws = await resolve({
    "Profile/p": { location, credential: { type: "secret", secret } },
    "Secret/aws": {
      type: "secrets.kanister.io/aws",
      data: { aws_access_key_id: b64("a"), aws_secret_access_key: b64("b") },
    },
  });
  expect(aws.credential.secret?.type).toBe("secrets.kanister.io/aws");
  const part = (name: string) => ({ key: "k", secret: { name } });
  const kopiaServerSecret = {
    username: "u",
    hostname: "h",
    userPassphrase: part("pass"),
    tlsCert: part("cert"),
  };
  const kopia = await resolve({
    "Profile/p": { location: { type: "kopia" }, credential: { type: "kopia", kopiaServerSecret } },
    "Secret/pass": { data: { k: b64("word") } },
    "Secret/cert": { data: { k: b64("pem") } },
  });
  expect(kopia.credential.kopiaServer).toMatchObject({ username: "u", password: "word", cert: "pem" });
  const folder = await resolve({
    "Profile/p": { location: { type: "filesystem", bucket: "b", endpoint: "/mnt" } },
  });
  expect(folder.location).toMatchObject({ type: "filesystem", endpoint: "/mnt" });
});

test.each<[string, Readonly<Record<string, object>>, string, string]>([
  ["no profile", {}, "ACTION_OBJECT", 'Profile "n/p" does not exist'],
  ["an odd type", { "Profile/p": { location: { type: "ftp" } } }, "ACTION_PROFILE", 'type "ftp"'],
  [
    "no region",
    { "Profile/p": { location: { ...location, region: "" }, credential: { type: "keyPair", keyPair } } },
    "ACTION_PROFILE",
    "region",
  ],
  [
    "no secret",
    { "Profile/p": { location, credential: { type: "keyPair", keyPair } } },
    "ACTION_OBJECT",
    'Secret "n/keys"',
  ],
  [
    "a key that is not there",
    {
      "Profile/p": { location, credential: { type: "keyPair", keyPair } },
      "Secret/keys": { data: { id: b64("x") } },
    },
    "ACTION_PROFILE",
    'no key "key"',
  ],
  [
    "a secret of no known type",
    {
      "Profile/p": { location, credential: { type: "secret", secret: { name: "s", namespace: "n" } } },
      "Secret/s": { type: "Opaque" },
    },
    "ACTION_PROFILE",
    'type "Opaque"',
  ],
])("resolveProfile() refuses %s", async (_what, objects, code, words) => {
  await expect(resolve(objects)).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
});

test("a profile that is not there and one that is not whole are told apart", async () => {
  await expect(resolve({})).rejects.toMatchObject({ code: "ACTION_OBJECT" });
  await expect(resolve({ "Profile/p": { location: {} } })).rejects.toMatchObject({ code: "ACTION_PROFILE" });
});

test("profileFaults() names every fault of the credentials", () => {
  expect(profileFaults({ location, credential: { type: "keyPair", keyPair: {} } })).toEqual([
    "the key pair has no idField",
    "the key pair has no secretField",
    "the key pair has no secret.name",
  ]);
  expect(profileFaults({ location: { type: "filesystem", bucket: "b", endpoint: "mnt" } })).toEqual([
    expect.stringContaining("no absolute path"),
  ]);
});

test("profileFaults() takes what is no text for nothing", () => {
  const odd = { toString: [] } as unknown as string; // a review sees objects that no schema has checked
  expect(profileFaults({ location: { type: odd } })).toEqual([expect.stringContaining('type "" is none of')]);
  expect(profileFaults({ location: { type: "kopia" }, credential: { type: odd } })).toEqual([
    expect.stringContaining('credential\'s type "" is none of'),
  ]);
});
