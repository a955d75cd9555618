import { expect, test } from "vitest";
import { isRawNumber } from "../../../api/index.ts";
import { parseItem } from "./item-json.ts";

const identity = { namespace: "shop", name: "a" };
const parse = (body: string) => parseItem(Buffer.from(body), identity);
const object = (rest: string): string =>
  `{"apiVersion":"v1","kind":"X","metadata":{"name":"a","namespace":"shop"},${rest}}`;

test.each([
  '"data":{"__proto__":"x","constructor":"y"}',
  '"spec":{"n":9007199254740993,"m":-9223372036854775808,"f":0.1,"e":1e400,"z":1.0}',
  '"data":{"a":"\\" : { [ \\\\","b":"12345678901234567890"}',
  '"items":[1,2,[{}],{"a":[]}]',
])("parseItem() keeps %s as it is", (rest) => {
  const item = parse(object(rest));
  expect(JSON.stringify(item)).toBe(object(rest));
});

test("parseItem() gives __proto__ no power", () => {
  const item = parse(object('"data":{"__proto__":{"polluted":true}}'));
  expect(typeof item).toBe("object");
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  const data = (item as Record<string, Record<string, unknown>>)["data"] ?? {};
  expect(data["polluted"]).toBeUndefined();
  expect(Object.keys(data)).toEqual(["__proto__"]);
});

test("isRawNumber() tells a kept number from an object that looks like one", () => {
  const item = parse(object('"spec":{"n":9007199254740993,"o":{"rawJSON":"1"}}'));
  const { n, o } = (item as { spec?: unknown }).spec as { n: object; o: object };
  expect([isRawNumber(n), isRawNumber(o)]).toEqual([true, false]);
});

test("parseItem() does not repeat the content of a broken Secret", () => {
  expect(parse('{"data":{"password":"hunter2"')).toBe("it is no JSON");
});

const deep = object(`"data":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
const changed = (change: object): string =>
  JSON.stringify({ apiVersion: "v1", kind: "X", metadata: { name: "a", namespace: "shop", ...change } });
test.each([
  ["JSON nested 100,000 deep", deep, "nested deeper"],
  ["arrays nested 100,000 deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, "nested deeper"],
  ["a key twice", object('"data":{},"data":{}'), "occurs twice"],
  ["a key twice, once escaped", object('"\\u006bind":"Secret"'), "occurs twice"],
  ["a key twice, far inside", object('"a":[{"b":{"c":1,"c":1}}]'), "occurs twice"],
  ["__proto__ twice", object('"a":{"__proto__":1,"__proto__":2}'), "occurs twice"],
  ["another name than its file", changed({ name: "other" }), "name of its file"],
  ["another namespace than its file", changed({ namespace: "kube-system" }), "namespace of its file"],
  ["no namespace", changed({ namespace: undefined }), "namespace of its file"],
  ["no JSON", "{", "no JSON"],
  ["a byte order mark", `\ufeff${changed({})}`, "no JSON"],
  ["bytes that are no text", Buffer.from([0x22, 0xff, 0x22]), "no JSON"],
  ["a list", "[]", "no Kubernetes object"],
  ["null", "null", "no Kubernetes object"],
  ["nothing", "", "no JSON"],
  ["labels that are no texts", changed({ labels: { a: {} } }), "no Kubernetes object"],
  ["a name that is no text", changed({ name: { toString: 1 } }), "no Kubernetes object"],
  ["a kind that is missing", '{"apiVersion":"v1","metadata":{"name":"a"}}', "no Kubernetes object"],
])("parseItem() refuses %s", (_title, body, reason) => {
  expect(parseItem(Buffer.from(body), identity)).toContain(reason);
});
