import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { padding, tarEnd, tarHeader } from "./tar.ts";

const names = [
  "a",
  "resources/pods/namespaces/shop/web.json",
  `dir/${"x".repeat(95)}`,
  `dir/${"x".repeat(97)}`,
  `${"d".repeat(90)}/${"e".repeat(90)}.json`,
  `resources/roles.rbac.authorization.k8s.io/v1-preferredversion/namespaces/${"n".repeat(63)}/${"r".repeat(253)}.json`,
  "resources/clusterroles/cluster/système:nœud.json",
  "resources/clusterroles/cluster/system:a b'c\"d.json",
];

test("tar reads what tarHeader() wrote, whatever the names", () => {
  const body = (name: string) => Buffer.from(`{"name":${JSON.stringify(name)}}`.repeat(20));
  const archive = Buffer.concat([
    ...names.flatMap((name) => {
      const json = body(name);
      return [tarHeader(name, json.length, 1_700_000_000), json, padding(json.length)];
    }),
    tarEnd,
  ]);
  const listed = spawnSync("tar", ["-t", "--quoting-style=literal", "-f", "-"], {
    input: archive,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  expect(listed.stderr).toBe("");
  expect(listed.stdout.trimEnd().split("\n")).toEqual(names);
  const last = spawnSync("tar", ["-xO", "-f", "-", names[5] ?? ""], { input: archive, encoding: "utf8" });
  expect(last.stdout).toBe(body(names[5] ?? "").toString());
});

test.each([0, 1, 511, 512, 513])("padding(%i) fills the block", (bytes) => {
  expect((bytes + padding(bytes).length) % 512).toBe(0);
});
