import { expect, test } from "vitest";
import type { ProfileParams } from "../../params.ts";
import { insideBucket, repositoryAt } from "./repository.ts";
import { backupScript } from "./script.ts";

const profile = (type: string, more: Partial<ProfileParams["location"]> = {}): ProfileParams => ({
  name: "p",
  location: { type, bucket: "b", endpoint: "", prefix: "", region: "", ...more },
  credential: { type: "keyPair", keyPair: { id: "canary-id", secret: "canary-secret" } },
  skipSslVerify: false,
});

test.each<[string, ProfileParams, string, string, readonly string[]]>([
  [
    "S3 of Amazon",
    profile("s3Compliant", { region: "eu" }),
    "shop/db",
    "s3:s3.amazonaws.com/b/shop/db",
    ["s3", "--bucket=b", "--prefix=shop/db/", "--endpoint=s3.amazonaws.com", "--region=eu"],
  ],
  [
    "S3 elsewhere",
    profile("s3Compliant", { endpoint: "http://minio:9000/" }),
    "b/x",
    "s3:http://minio:9000/b/x",
    ["s3", "--bucket=b", "--prefix=x/", "--endpoint=minio:9000", "--disable-tls"],
  ],
  ["Google", profile("gcs"), "/x/y/", "gs:b:/x/y/", ["gcs", "--bucket=b", "--prefix=x/y/"]],
  ["Azure", profile("azure"), "", "azure:b:/", ["azure", "--container=b"]],
  [
    "a folder",
    profile("filesystem", { endpoint: "/mnt/" }),
    "b/x",
    "/mnt/b/x",
    ["filesystem", "--path=/mnt/b/x"],
  ],
])("repositoryAt() of %s", (_what, given, prefix, restic, kopia) => {
  const place = repositoryAt(given, prefix, { encryptionKey: "canary-key" });
  const { text, env } = backupScript(place, "/data", "t", undefined);
  expect(text).toContain(`export RESTIC_REPOSITORY='${restic}'`);
  expect(text).toContain(`repository connect ${kopia.map((word) => `'${word}'`).join(" ")}`);
  expect(env).toMatchObject({ RESTIC_PASSWORD: "canary-key", KOPIA_PASSWORD: "canary-key" });
  expect(text).not.toContain("canary");
});

test("repositories that upstream made without a key are opened with upstream's", () => {
  expect(repositoryAt(profile("gcs"), "x").env["RESTIC_PASSWORD"]).toBe(
    "9f735e0df9a1ddc702bf0a1a7b83033f9f7153a00c29de82cedadc9957289b05",
  );
});

test("insideBucket() takes the bucket away once and never leaves it", () => {
  expect([
    insideBucket("b", "b/x"),
    insideBucket("b", "/x/"),
    insideBucket("b", "b/b/x"),
    insideBucket("b", ""),
  ]).toEqual(["x", "x", "b/x", ""]);
  expect(() => insideBucket("b", "b/../c")).toThrow(expect.objectContaining({ code: "ACTION_PROFILE" }));
});

test("no profile, no repository", () => {
  expect(() => repositoryAt(undefined, "x")).toThrow(expect.objectContaining({ code: "ACTION_PROFILE" }));
  expect(() => repositoryAt(profile("kopia"), "x")).toThrow(
    expect.objectContaining({ code: "ACTION_PROFILE" }),
  );
});
