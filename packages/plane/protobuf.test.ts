import { expect, test } from "vitest";
import { decodeProtobuf } from "./protobuf.ts";

/** A length-delimited field. */
function part(number: number, ...content: (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(content.map((c) => Buffer.from(c as string)));
  return Buffer.concat([Buffer.from([(number << 3) | 2, body.length]), body]);
}

const number = (field: number, value: number): Buffer => Buffer.from([field << 3, value]);

function envelope(kind: string, raw: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from("k8s\0"), part(1, part(1, "v1"), part(2, kind)), part(2, raw)]);
}

test("decodeProtobuf() reads text, maps, bytes and zero times", () => {
  const meta = part(
    1,
    part(1, "s"),
    part(8),
    part(11, part(1, "k"), part(2, "v")),
    part(11, part(1, "l"), part(2, "w")),
  );
  const raw = Buffer.concat([meta, part(2, part(1, "a"), part(2, Buffer.from([0, 255]))), part(3, "Opaque")]);
  expect(decodeProtobuf(envelope("Secret", raw), "Secret")).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", creationTimestamp: null, labels: { k: "v", l: "w" } },
    data: { a: "AP8=" },
    type: "Opaque",
  });
});

test("decodeProtobuf() reads numbers, lists and what JSON inlines", () => {
  const volume = part(1, part(1, "v"), part(2, part(2)));
  const container = part(2, part(1, "c"), part(3, "sh"), part(3, "-c"));
  const spec = part(2, volume, container, number(4, 30));
  expect(decodeProtobuf(envelope("Pod", spec), "Pod")).toMatchObject({
    spec: {
      volumes: [{ name: "v", emptyDir: {} }],
      containers: [{ name: "c", command: ["sh", "-c"] }],
      terminationGracePeriodSeconds: 30,
    },
  });
});

test("decodeProtobuf() refuses what is no object, and kinds without numbers", () => {
  expect(() => decodeProtobuf(Buffer.from("{}"), "Secret")).toThrow(/not a protobuf object/);
  expect(() => decodeProtobuf(envelope("Secret", Buffer.from([0x0a])), "Secret")).toThrow(
    /cannot be read: a number is cut off/,
  );
  expect(() => decodeProtobuf(envelope("Widget", Buffer.from([])), undefined)).toThrow(/built-in kind/);
});
