import { describe, expect, test } from "vitest";
import type { MoverKind, Place, Repository } from "../../src/movers/index.ts";

/** Every word that comes from outside and can reach a program's arguments. */
interface Words {
  readonly repository: Repository;
  readonly path: string;
  readonly source: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parent: string;
  readonly parallel: number;
  readonly snapshotId: string;
}

/** The builders of a mover's arguments, and which words they take. */
interface Builders {
  readonly kind: MoverKind;
  readonly takes: readonly ("place" | "snapshot" | "parent" | "tag" | "path" | "source")[];
  readonly build: (words: Words) => readonly (readonly string[])[];
}

const s3 = { kind: "s3", bucket: "b", prefix: "p/restic/shop" } as const;
const folder = { kind: "filesystem", path: "/data/shop" } as const;

/** Strings that are an option, another place, another argument or no text at all. */
const hostile = [
  "",
  "-",
  "--",
  "-h",
  '--password-command=/bin/sh -c "id > /tmp/x"',
  "--config-file=/etc/passwd",
  "@/etc/passwd",
  "latest",
  "../../etc",
  "rclone:remote:x",
  "0123abcd\n--help",
  "0123abcd --help",
  "0123ABCD",
  "a\0b",
  "é".repeat(300),
];

/** What every builder of arguments must do: refuse each hostile word, and put nothing but known words before `--`. */
export function argumentSuite({ kind, takes, build }: Builders): void {
  const id = kind === "restic" ? "0123abcd" : "00112233445566778899aabbccddeeff";
  const words: Words = {
    repository: { place: s3, password: "" },
    path: "/v",
    source: "snapshot-pod-volume/kopia/shop/web-0/data",
    tags: { backup: "b1", "pod-uid": "6f0c1a9e-0000-4000-8000-000000000000" },
    parent: id,
    parallel: 4,
    snapshotId: id,
  };
  const at = (place: Place): Words => ({ ...words, repository: { place, password: "" } });

  /** How a word gets into the arguments; tags and sources may be words that are no ids. */
  const plain = ["latest", "0123ABCD"];
  const cases: Readonly<Record<string, (word: string) => readonly Words[]>> = {
    snapshot: (word) => [{ ...words, snapshotId: word }],
    parent: (word) => [{ ...words, parent: word }],
    tag: (word) =>
      plain.includes(word)
        ? []
        : [
            { ...words, tags: { [word]: "x" } },
            { ...words, tags: { a: `,${word}` } },
          ],
    path: (word) => [{ ...words, path: word }],
    source: (word) => (plain.includes(word) ? [] : [{ ...words, source: word }]),
  };

  describe(`the arguments of ${kind}`, () => {
    test("right words are taken, from a bucket and from a folder", () => {
      for (const place of [
        s3,
        folder,
        { ...s3, endpoint: "http://minio:9000", region: "eu-central-1" },
      ] as const) {
        for (const args of build(at(place))) {
          const end = args.indexOf("--");
          expect(args.join("\n")).not.toMatch(/undefined|NaN/);
          // A word that is no flag is a command before the dashes, and an operand after them.
          const before = args.slice(0, end < 0 ? args.length : end).filter((word) => !word.startsWith("--"));
          for (const word of before) expect(word).toMatch(/^[a-z0-9]+$/);
        }
      }
    });

    for (const [name, make] of Object.entries(cases)) {
      if (!takes.some((one) => one === name)) continue;
      const all = hostile.flatMap((word) => make(word).map((one) => [word, one] as const));
      test.each(all)(`a ${name} %j is refused`, (_word, one) => {
        expect(() => build(one)).toThrow(refused);
      });
    }

    test.each([0, -1, 1.5, Number.NaN, 1e9])("%d parallel files are refused", (parallel) => {
      expect(() => build({ ...words, parallel })).toThrow(refused);
    });

    test.each<[string, Place]>([
      ["a relative folder", { kind: "filesystem", path: "data" }],
      ["a program as a folder", { kind: "filesystem", path: "rclone:remote:x" }],
      ["a folder that climbs", { kind: "filesystem", path: "/data/../etc" }],
      ["an option as a bucket", { ...s3, bucket: "--endpoint=evil" }],
      ["no bucket", { ...s3, bucket: "" }],
      ["a path as a bucket", { ...s3, bucket: "a/b" }],
      ["a prefix that climbs", { ...s3, prefix: "a/../../b" }],
      ["a prefix with a line", { ...s3, prefix: "a\nb" }],
      ["a region with a host", { ...s3, region: "x.evil.com/" }],
      ["an address with a user", { ...s3, endpoint: "http://user:secret@evil.com" }],
      ["an address that is a file", { ...s3, endpoint: "file:///etc" }],
      ["an address with a query", { ...s3, endpoint: "https://s3?x=/" }],
      ["no address", { ...s3, endpoint: "--x" }],
    ])("%s is refused", (_name, place) => {
      expect(() => build(at(place))).toThrow(refused);
    });
  });
}

const refused = expect.objectContaining({ code: "MOVER_ARGUMENT" });
