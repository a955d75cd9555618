import { expect, test } from "vitest";
import { grammar } from "../conventions/grammar.ts";
import { StoredFields, storedItems } from "./fields.ts";

const of = (value: unknown) => new StoredFields("backups/b/x.json.gz", "", value);

test("StoredFields takes what has its form", () => {
  const fields = of({
    name: "a",
    empty: "",
    nothing: null,
    n: 3,
    at: "2026-01-01T00:00:00Z",
    inner: { name: "b" },
  });
  expect(fields.text("name", grammar.name)).toBe("a");
  expect(fields.optional("empty", grammar.name)).toBeUndefined();
  expect(fields.optional("nothing", grammar.name)).toBeUndefined();
  expect(fields.optional("absent", grammar.name)).toBeUndefined();
  expect(fields.count("n")).toBe(3);
  expect(fields.time("at")).toBe("2026-01-01T00:00:00Z");
  expect(fields.object("inner").text("name", grammar.name)).toBe("b");
  expect(fields.object("none").optional("x", grammar.name)).toBeUndefined();
});

test.each<[string, unknown, (fields: StoredFields) => unknown, string]>([
  ["no object", 7, () => undefined, "it is 7, not an object"],
  ["a list", [], () => undefined, "it is a list, not an object"],
  [
    "a bad name",
    { a: { name: "../x" } },
    (f) => f.object("a").text("name", grammar.name),
    'a.name is "../x", not a name',
  ],
  ["no name", {}, (f) => f.text("name", grammar.name), "name is absent, not a name"],
  [
    "an object as a name",
    { name: { password: "hunter2" } },
    (f) => f.text("name", grammar.name),
    "name is an object",
  ],
  ["a long text", { name: "-".repeat(500) }, (f) => f.text("name", grammar.name), `"${"-".repeat(80)}…"`],
  ["a negative number", { n: -1 }, (f) => f.count("n"), "n is -1, not a whole number"],
  ["a text as a number", { n: "1" }, (f) => f.count("n"), 'n is "1", not a whole number'],
  ["no time", { t: "2026" }, (f) => f.time("t"), 't is "2026", not a time'],
  ["a word that is none", { p: "Ran" }, (f) => f.oneOf("p", ["A", "B"]), 'p is "Ran", not one of A, B'],
  ["an inherited word", {}, (f) => f.text("constructor", grammar.name), "constructor is absent"],
  [
    "a bad key",
    { m: JSON.parse('{"__proto__":"x"}') },
    (f) => f.map("m", grammar.labelKey, undefined),
    '"__proto__"',
  ],
  ["a map of objects", { m: { a: {} } }, (f) => f.map("m", grammar.labelKey, undefined), 'm["a"] is absent'],
  [
    "a wide map",
    { m: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, ""])) },
    (f) => f.map("m", grammar.labelKey, undefined),
    "256 at most",
  ],
])("StoredFields refuses %s, and names file and field", (_name, value, read, words) => {
  let fault: unknown;
  try {
    read(of(value));
  } catch (error) {
    fault = error;
  }
  expect(fault).toMatchObject({ code: "STORED_INVALID", retry: false });
  expect(String(fault)).toContain('stored file "backups/b/x.json.gz": ');
  expect(String(fault)).toContain(words);
  expect(String(fault)).not.toContain("hunter2");
});

test("the value of a label or a note is never quoted", () => {
  expect(() =>
    of({ labels: { a: "hunter2 has a blank" } }).map("labels", grammar.labelKey, grammar.labelValue),
  ).toThrow(expect.objectContaining({ message: expect.not.stringContaining("hunter2") }));
});

test("storedItems() says which one", () => {
  const [, second] = storedItems("f", [{}, { spec: { volume: "-x" } }]);
  expect(() => second?.object("spec").text("volume", grammar.volume)).toThrow('[1].spec.volume is "-x"');
});
