import fc from "fast-check";
import { expect, test } from "vitest";
import { splitList } from "./split-list.ts";

const split = (text: string) => {
  const { head, items } = splitList(Buffer.from(text));
  return { head, items: items.map((item) => JSON.parse(item.toString())) };
};

test("splitList() gives back what JSON.parse would, for any items and any spacing", () => {
  const any = fc.array(fc.jsonValue({ maxDepth: 4 }));
  const space = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(any, fc.jsonValue(), space, fc.boolean(), (items, metadata, indent, itemsFirst) => {
      const list = itemsFirst ? { items, kind: "XList", metadata } : { kind: "XList", metadata, items };
      const plain = JSON.parse(JSON.stringify(list));
      const { items: wanted, ...head } = plain;
      expect(split(JSON.stringify(list, undefined, indent))).toEqual({ head, items: wanted });
    }),
  );
});

test("splitList() hands out the server's own bytes", () => {
  const item = '{"data":{"a":"\\u00e4\\\\\\"}]"},"n":1e400}';
  const { items } = splitList(Buffer.from(`{"items":[${item}]}\n`));
  expect(items.map(String)).toEqual([item]);
});

test.each(['{"items":null,"kind":"L"}', '{"items":[ ],"kind":"L"}', '{"kind":"L"}'])(
  "splitList() of an empty list: %s",
  (text) => {
    expect(split(text).items).toEqual([]);
    expect(split(text).head["kind"]).toBe("L");
  },
);

test.each([
  "",
  "[]",
  '{"items":[{"a":"b',
  '{"items":[{"a":1}',
  '{"items":[,]}',
  '{"a" 1}',
  '{"a":}',
  '{"a":1 "b":2}',
])("splitList() refuses what is cut or no list: %j", (text) => {
  expect(() => splitList(Buffer.from(text))).toThrow(SyntaxError);
});
