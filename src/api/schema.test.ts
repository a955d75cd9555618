import { expect, expectTypeOf, test } from "vitest";
import {
  anyObject,
  bool,
  choice,
  described,
  int,
  listOf,
  mapOf,
  nullable,
  obj,
  quantity,
  str,
  strings,
  type Typed,
  time,
  timeOrNull,
} from "./schema.ts";

test("Typed gives the type that the schema describes", () => {
  const schema = obj(
    "",
    {
      name: str(""),
      count: nullable(int("")),
      mode: choice("", ["a", "b"]),
      list: listOf("", obj("", { on: bool("") }, ["on"])),
      map: mapOf("", int("")),
      size: quantity(""),
      when: timeOrNull(""),
      since: time(""),
      raw: anyObject(""),
      words: nullable(strings("")),
    },
    ["name", "mode"],
  );
  expectTypeOf<Typed<typeof schema>>().toEqualTypeOf<{
    readonly name: string;
    readonly mode: "a" | "b";
    readonly count?: number | null;
    readonly list?: readonly { readonly on: boolean }[];
    readonly map?: Readonly<Record<string, number>>;
    readonly size?: number | string;
    readonly when?: string | null;
    readonly since?: string;
    readonly raw?: Readonly<Record<string, unknown>>;
    readonly words?: readonly string[] | null;
  }>();
  expect(Object.keys(schema.properties)).toHaveLength(10);
});

test("obj() leaves `required` out when nothing is required", () => {
  expect(obj("d", { a: str("") })).toEqual({
    type: "object",
    description: "d",
    properties: { a: { type: "string", description: "" } },
  });
  expect(obj("d", { a: str("") }, ["a"]).required).toEqual(["a"]);
});

test("nullable() and described() change one thing and leave the original alone", () => {
  const plain = str("old", { default: "" });
  expect(nullable(plain)).toEqual({ ...plain, nullable: true });
  expect(described("new", plain)).toEqual({ type: "string", description: "new", default: "" });
  expect(plain).toEqual({ type: "string", description: "old", default: "" });
});

test.each(["10Gi", "0.5", "1e3", "-1", "100m", ".5", "+2k"])("quantity() accepts %s", (text) => {
  expect(text).toMatch(new RegExp(quantity("").pattern));
});

test.each(["", "10 Gi", "Gi", "1KB", "1.2.3"])("quantity() refuses %j", (text) => {
  expect(text).not.toMatch(new RegExp(quantity("").pattern));
});
