import { expect, test } from "vitest";
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
  expect(volumeSource("shop", "web-0", "data")).toBe("snapshot-pod-volume/kopia/shop/web-0/data");
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
