import { expect, test } from "vitest";
import type { KubeObject } from "../api/index.ts";
import type { ChosenCluster } from "./cluster.ts";
import type { Input } from "./command.ts";
import type { Io } from "./io.ts";
import { chosenObjects, nameOf, printObjects } from "./objects.ts";

const object = (name: string): KubeObject => ({ apiVersion: "v1", kind: "X", metadata: { name } });
const input = (args: string[], flags: Record<string, string> = {}): Input =>
  ({ args, flags }) as unknown as Input;
const resource = { group: "", version: "v1", plural: "xs", kind: "X", namespaced: true };
const signal = new AbortController().signal;

test.each([
  ["by name", input(["b", "a"]), ["get b in ns", "get a in ns"]],
  ["by label", input([], { selector: "x=y" }), ["list x=y in ns"]],
  ["all", input([]), ["list undefined in ns"]],
])("chosenObjects() asks %s", async (_title, given, want) => {
  const asked: string[] = [];
  const client = {
    get: async (_type: unknown, name: string, { namespace }: { namespace: string }) => {
      asked.push(`get ${name} in ${namespace}`);
      return object(name);
    },
    list: async (_type: unknown, query: { namespace: string; labelSelector?: string }) => {
      asked.push(`list ${query.labelSelector} in ${query.namespace}`);
      return [object("a")];
    },
  };
  const cluster = { client, namespace: "ns" } as unknown as ChosenCluster;
  await chosenObjects(cluster, resource, given, signal);
  expect(asked).toEqual(want);
});

test.each([
  ["a table", input([]), "table of a,b\n"],
  ["names as kubectl does", input([], { output: "name" }), "x/a\nx/b\n"],
  ["a wide table", input([], { output: "wide" }), "wide table of a,b\n"],
])("printObjects() prints %s", async (_title, given, want) => {
  expect(await printed([object("a"), object("b")], given)).toBe(want);
});

test("printObjects() wraps several into a list, and one that was named alone into nothing", async () => {
  const json = { output: "json" };
  const list = JSON.parse(await printed([object("a"), object("b")], input([], json))) as { kind: string };
  expect(list.kind).toBe("List");
  expect(JSON.parse(await printed([object("a")], input(["a"], json)))).toEqual(object("a"));
});

test("nameOf() has the group, so that kubectl finds it", () => {
  const backups = { group: "velero.io", version: "v1", plural: "backups", kind: "Backup", namespaced: true };
  expect(nameOf(backups, object("shop"))).toBe("backup.velero.io/shop");
});

async function printed(found: readonly KubeObject[], given: Input): Promise<string> {
  let out = "";
  const io = { out: (text: string) => void (out += text) } as unknown as Io;
  await printObjects(
    found,
    resource,
    { input: given, io },
    (all, { wide }) =>
      `${wide ? "wide " : ""}table of ${all.map(({ metadata }) => metadata.name).join(",")}\n`,
  );
  return out;
}
