import { expect, test } from "vitest";
import type { AzureKeys } from "./mover.ts";
import { environment, placeText, repositoryPlace, volumeSource } from "./place.ts";

test.each([
  [{ kind: "filesystem", path: "/data/b/" }, "restic", { kind: "filesystem", path: "/data/b/restic/shop" }],
  [{ kind: "s3", bucket: "b", prefix: "" }, "kopia", { kind: "s3", bucket: "b", prefix: "kopia/shop" }],
  [
    { kind: "s3", bucket: "b", prefix: "/p/q/" },
    "kopia",
    { kind: "s3", bucket: "b", prefix: "p/q/kopia/shop" },
  ],
] as const)("repositoryPlace() puts %j of %s where upstream has it", (location, kind, want) => {
  expect(repositoryPlace(location, kind, "shop")).toEqual(want);
});

test.each(["../../../x", "..", "", "a/b", "-x", "Shop", "a.b", "x".repeat(64), "a\0b", "ä"])(
  "repositoryPlace() refuses %j, which is no namespace",
  (namespace) => {
    for (const location of [
      { kind: "filesystem", path: "/data/b" },
      { kind: "s3", bucket: "b", prefix: "" },
    ] as const) {
      expect(() => repositoryPlace(location, "restic", namespace)).toThrow(
        expect.objectContaining({ code: "MOVER_ARGUMENT" }),
      );
    }
  },
);

test("volumeSource() does not name the pod's folder, which changes", () => {
  expect(volumeSource("kopia", { namespace: "shop", pod: "web-0", volume: "data" })).toBe(
    "snapshot-pod-volume/kopia/shop/web-0/data",
  );
});

test("placeText() has no keys", () => {
  const keys = { accessKeyId: "canary-id", secretAccessKey: "canary-secret" };
  expect(placeText({ kind: "s3", bucket: "b", prefix: "p", endpoint: "http://x", keys })).toBe(
    'bucket "b" at http://x, "p"',
  );
});

test("environment() passes on little, and AWS variables only when no keys are given", () => {
  const ours = {
    PATH: "/bin",
    HTTPS_PROXY: "p",
    AWS_ROLE_ARN: "r",
    AWS_SECRET_ACCESS_KEY: "other",
    TOKEN: "canary",
  };
  const place = { kind: "s3", bucket: "b", prefix: "", region: "eu" } as const;
  const keys = { accessKeyId: "a", secretAccessKey: "s" };
  expect(environment({ kind: "filesystem", path: "/" }, ours)).toEqual({ PATH: "/bin", HTTPS_PROXY: "p" });
  expect(environment({ ...place, keys }, ours)).toEqual({
    PATH: "/bin",
    HTTPS_PROXY: "p",
    AWS_REGION: "eu",
    AWS_DEFAULT_REGION: "eu",
    AWS_ACCESS_KEY_ID: "a",
    AWS_SECRET_ACCESS_KEY: "s",
  });
  expect(environment(place, ours)).toMatchObject({ AWS_ROLE_ARN: "r", AWS_SECRET_ACCESS_KEY: "other" });
});

test("environment() names the identities of Azure as its library does", () => {
  const place = { kind: "azure", container: "b", prefix: "", account: "acc", domain: "blob.d" } as const;
  const who = { tenant: "t", client: "c" };
  const login = "https://login.example/";
  const of = (access: AzureKeys) => environment({ ...place, access, login }, { AZURE_CLIENT_SECRET: "ours" });
  const named = { AZURE_AUTHORITY_HOST: login, AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c" };
  expect(of({ by: "key", key: "k" })).toEqual({});
  expect(of({ by: "secret", ...who, secret: "s" })).toEqual({ ...named, AZURE_CLIENT_SECRET: "s" });
  expect(of({ by: "federated", ...who, file: "/t" })).toEqual({ ...named, AZURE_FEDERATED_TOKEN_FILE: "/t" });
  expect(of({ by: "certificate", ...who, pem: "p" })).toEqual(named);
  expect(of({ by: "managed", client: "c" })).toEqual({ AZURE_AUTHORITY_HOST: login, AZURE_CLIENT_ID: "c" });
});

test("environment() passes Google's variables on where a place brings no credentials", () => {
  const ours = { GOOGLE_APPLICATION_CREDENTIALS: "/g", STORAGE_EMULATOR_HOST: "h", TOKEN: "canary" };
  const place = { kind: "gcs", bucket: "b", prefix: "" } as const;
  expect(environment(place, ours)).toEqual({
    GOOGLE_APPLICATION_CREDENTIALS: "/g",
    STORAGE_EMULATOR_HOST: "h",
  });
  expect(environment({ ...place, credentials: "{}", universe: "u.example" }, ours)).toEqual({
    STORAGE_EMULATOR_HOST: "h",
    GOOGLE_CLOUD_UNIVERSE_DOMAIN: "u.example",
  });
});

test.each([
  [{ kind: "gcs", bucket: "b", prefix: "p" }, 'bucket "b" of Google Cloud Storage, "p"'],
  [
    {
      kind: "azure",
      container: "b",
      prefix: "p",
      account: "acc",
      domain: "d",
      access: { by: "key", key: "canary" },
    },
    'container "b" at https://acc.d, "p"',
  ],
] as const)("placeText() of %j", (place, want) => {
  expect(placeText(place)).toBe(want);
});
