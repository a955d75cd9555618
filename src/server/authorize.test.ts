import { expect, test } from "vitest";
import { TestClock } from "../../test/harness/clock.ts";
import type { KubeObject } from "../api/index.ts";
import type { Resource } from "../kube/index.ts";
import { clusterAuthorizer, tokenAuthorizer } from "./authorize.ts";

const request = { verb: "list" } as const;

test("tokenAuthorizer() lets in whoever has the token", async () => {
  const { check } = tokenAuthorizer("secret");
  expect(await check("secret", request)).toBe(200);
  for (const wrong of ["Secret", "", "secret2", undefined]) expect(await check(wrong, request)).toBe(401);
});

/** A cluster that knows two tokens; only Ann may list. */
function fakeCluster() {
  const asked: { kind: string; spec: Record<string, unknown> }[] = [];
  let away = false;
  const client = {
    create: async <T extends KubeObject>(resource: Resource, given: unknown): Promise<T> => {
      const { spec } = given as { spec: Record<string, unknown> };
      asked.push({ kind: resource.kind, spec });
      if (away) throw new Error("away");
      const user = { "token-ann": "ann", "token-bob": "bob" }[String(spec["token"])];
      const status =
        resource.kind === "TokenReview"
          ? { authenticated: user !== undefined, user: { username: user, groups: ["staff"] } }
          : { allowed: spec["user"] === "ann" };
      return { status } as unknown as T;
    },
  };
  return { client, asked, leave: () => (away = true) };
}

test("clusterAuthorizer() asks the cluster who it is and what they may, and believes it for ten seconds", async () => {
  const clock = new TestClock();
  const { client, asked } = fakeCluster();
  const { check } = clusterAuthorizer(client, clock);
  expect(await check("token-ann", request)).toBe(200);
  expect(await check("token-bob", request)).toBe(403);
  expect(await check("token-eve", request)).toBe(401);
  expect(await check(undefined, request)).toBe(401);
  expect(asked[1]).toEqual({
    kind: "SubjectAccessReview",
    spec: {
      user: "ann",
      uid: undefined,
      groups: ["staff"],
      extra: undefined,
      resourceAttributes: { group: "headway.dev", resource: "operations", verb: "list" },
    },
  });
  const before = asked.length;
  expect(await check("token-ann", request)).toBe(200);
  expect(asked.length).toBe(before);
  await clock.advance(10_001);
  await check("token-ann", request);
  await check("token-ann", { path: "/metrics" });
  expect(asked.length).toBe(before + 4);
  expect(asked.at(-1)?.spec["nonResourceAttributes"]).toEqual({ path: "/metrics", verb: "get" });
});

test("clusterAuthorizer() lets nobody in while the cluster is away, and asks again", async () => {
  const { client, asked, leave } = fakeCluster();
  const { check } = clusterAuthorizer(client, new TestClock());
  leave();
  await expect(check("token-ann", request)).rejects.toThrow("away");
  await expect(check("token-ann", request)).rejects.toThrow("away");
  expect(asked).toHaveLength(2);
});
