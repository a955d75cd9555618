import fc from "fast-check";
import { expect, test } from "vitest";
import { bytesOf, intOf, MessageWriter, messagesOf, readMessage, textOf, textsOf } from "./protobuf.ts";

test("a message is what protoc would write", () => {
  // GetVolumeInfo of vol-1 in us-east-1a, as `protoc --encode` gives it.
  const bytes = new MessageWriter().text(1, "p").text(2, "vol-1").int(3, 300).done();
  expect(Buffer.from(bytes).toString("hex")).toBe("0a01701205766f6c2d3118ac02");
});

test("what is written is read again", () => {
  const pairs = fc.dictionary(fc.string(), fc.string());
  fc.assert(
    fc.property(
      fc.string(),
      fc.uint8Array(),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      pairs,
      (a, b, c, d) => {
        const read = readMessage(new MessageWriter().text(1, a).bytes(2, b).int(3, c).map(4, d).done());
        expect(textOf(read, 1)).toBe(Buffer.from(a).toString());
        expect(Buffer.from(bytesOf(read, 2)).equals(Buffer.from(b))).toBe(true);
        expect(intOf(read, 3)).toBe(c);
        const back = messagesOf(read, 4).map((one) => [textOf(one, 1), textOf(one, 2)]);
        expect(back).toHaveLength(Object.keys(d).length);
      },
    ),
  );
});

test("repeated texts keep their order", () => {
  expect(textsOf(readMessage(new MessageWriter().text(1, "b").text(1, "a").done()), 1)).toEqual(["b", "a"]);
});

test("bytes that are no message are refused, and never crash", () => {
  expect(() => readMessage(Buffer.from("0aff01", "hex"))).toThrow("cut off");
  expect(() => readMessage(Buffer.from("03", "hex"))).toThrow();
  expect(() => readMessage(Buffer.from("0b", "hex"))).toThrow("wire type 3 is not known");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 50 }), (bytes) => {
      try {
        readMessage(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }),
  );
});
