import { Readable } from "node:stream";
import { createGzip, deflateRawSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { pax, type TarEntry, tar, tarGz } from "../../../../test/harness/tar.ts";
import { type ArchiveEntry, archiveEntryName, groupResource } from "../../../api/index.ts";
import { type ArchiveLimits, archiveLimits, readArchive } from "./read.ts";
import { Spool } from "./spool.ts";

const settings = "resources/configmaps/namespaces/shop/settings.json";
const version: TarEntry = { name: "metadata/version", body: "1.1.0\n" };
const forever = new AbortController().signal;

function configMap(name = "settings", more: object = {}): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "shop", ...more },
    data: { a: "1" },
  });
}

async function* pieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(archive: Uint8Array, options: { limits?: Partial<ArchiveLimits>; piece?: number } = {}) {
  const spool = await Spool.open();
  onTestFinished(async () => await spool.close());
  const limits = { ...archiveLimits, ...options.limits };
  const choice = { keeps: () => true, selects: () => true, limits };
  const summary = await readArchive(pieces(archive, options.piece), spool, choice, forever);
  return { spool, summary };
}

async function text(spool: Spool, groupResource: string, namespace: string, name: string): Promise<string> {
  const ordinal = spool.find({ groupResource, namespace, name });
  return ordinal === undefined ? "absent" : Buffer.from(await spool.read(ordinal)).toString();
}

describe("honest archives", () => {
  test("readArchive() takes each item once and passes over the versioned copies", async () => {
    const { spool, summary } = await read(
      tarGz([
        version,
        { name: settings, body: configMap() },
        { name: "resources/configmaps/v1-preferredversion/namespaces/shop/settings.json", body: configMap() },
      ]),
    );
    expect(summary).toMatchObject({ version: "1.1.0", items: 1, faults: [], moreFaults: 0 });
    expect(await text(spool, "configmaps", "shop", "settings")).toBe(configMap());
  });

  test("readArchive() gives the same for every way of cutting the stream", async () => {
    const entry = fc.record({
      name: fc.stringMatching(/^[a-z][a-z0-9-]{0,40}[a-z0-9]$/),
      namespace: fc.stringMatching(/^[a-z][a-z0-9]{0,10}$/),
      data: fc.string({ maxLength: 1500 }),
    });
    const sets = fc.uniqueArray(entry, { selector: (e) => `${e.namespace}/${e.name}`, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sets, fc.integer({ min: 30, max: 5000 }), async (items, piece) => {
        const files = items.map(({ name, namespace, data }) => {
          const at: ArchiveEntry = { group: "", resource: "configmaps", preferred: true, namespace, name };
          const body = JSON.stringify({
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name, namespace },
            data,
          });
          return { at, body };
        });
        const archive = gzipSync(
          tar(files.map(({ at, body }) => longName(archiveEntryName(at), body)).flat()),
          { level: 0 },
        );
        const { spool, summary } = await read(archive, { piece });
        expect(summary.items).toBe(items.length);
        for (const { at, body } of files) {
          expect(await text(spool, groupResource(at), at.namespace ?? "", at.name)).toBe(body);
        }
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  test.each([
    [
      "ustar prefix",
      [{ prefix: "resources/configmaps/namespaces", name: "shop/settings.json", body: configMap() }],
    ],
    [
      "pax path",
      [
        { name: "x", type: "x", body: pax("path", settings) + pax("mtime", "1.5") },
        { name: "cut", body: configMap() },
      ],
    ],
    [
      "GNU long name",
      [
        { name: "././@LongLink", type: "L", body: `${settings}\0`, magic: "ustar " },
        { name: "cut", body: configMap() },
      ],
    ],
    [
      "a folder entry",
      [
        { name: "resources/", type: "5" },
        { name: settings, body: configMap() },
      ],
    ],
    ["no version", [{ name: settings, body: configMap() }]],
    [
      "an old version",
      [
        { ...version, body: "1" },
        { name: settings, body: configMap() },
      ],
    ],
  ] as [string, TarEntry[]][])("readArchive() reads %s", async (_title, entries) => {
    const { spool } = await read(tarGz(entries));
    expect(await text(spool, "configmaps", "shop", "settings")).toBe(configMap());
  });

  test("readArchive() reads two gzip members as one stream, and zero padding after them", async () => {
    const bytes = tar([version, { name: settings, body: configMap() }]);
    const { summary } = await read(
      Buffer.concat([gzipSync(bytes.subarray(0, 700)), gzipSync(bytes.subarray(700)), Buffer.alloc(100)]),
    );
    expect(summary.items).toBe(1);
  });

  test("readArchive() of an archive without items is no fault", async () => {
    expect((await read(tarGz([version]))).summary.items).toBe(0);
  });
});

describe("hostile archives", () => {
  const good: TarEntry = { name: settings, body: configMap() };
  const negative = Buffer.concat([Buffer.alloc(1, 0xff), Buffer.alloc(11, 0xff)]);
  const huge = Buffer.concat([Buffer.alloc(1, 0x80), Buffer.alloc(11, 0x7f)]);
  test.each([
    [
      "a path that climbs",
      [{ name: "resources/configmaps/namespaces/../../../etc/passwd.json", body: "x" }],
      "no backup has",
    ],
    ["an absolute path", [{ name: "/etc/passwd", body: "x" }], "no backup has"],
    ["a drive path", [{ name: "C:..\\windows\\x.json", body: "x" }], "no backup has"],
    ["a path with a leading dot", [{ name: `./${settings}`, body: configMap() }], "no backup has"],
    ["a doubled slash", [{ name: settings.replace("/shop", "//shop"), body: configMap() }], "no backup has"],
    [
      "a name of dots",
      [{ name: "resources/configmaps/namespaces/shop/...json", body: "{}" }],
      "no backup has",
    ],
    [
      "a file beside the tree",
      [{ name: "resources-evil/configmaps/cluster/a.json", body: "{}" }],
      "no backup has",
    ],
    [
      "an escaped slash",
      [{ name: "resources/configmaps/namespaces/shop/a%2fb.json", body: "{}" }],
      "no backup has",
    ],
    [
      "an upper-case look-alike type",
      [{ name: "resources/ConfigMaps/namespaces/shop/a.json", body: "{}" }],
      "no backup has",
    ],
    [
      "a Cyrillic look-alike namespace",
      [{ name: "resources/configmaps/namespaces/shоp/a.json", body: "{}" }],
      "no backup has",
    ],
    ["a symbolic link", [{ name: settings, type: "2", link: "/etc/passwd" }], "is a link"],
    ["a hard link", [{ name: settings, type: "1", link: "metadata/version" }], "is a link"],
    ["a device", [{ name: settings, type: "3" }], "is a device"],
    ["a FIFO", [{ name: settings, type: "6" }], "is a device"],
    ["a sparse file", [{ name: settings, type: "S", magic: "ustar " }], "unknown type"],
    ["a global pax header", [{ name: "g", type: "g", body: pax("path", settings) }, good], "a global header"],
    ["a NUL inside a name", [{ name: `${settings}\0/../../x`, body: configMap() }], "NUL"],
    [
      "a control character",
      [{ name: settings.replace("settings", "set\u001b[2Jtings"), body: "{}" }],
      "no backup has",
    ],
    ["a newline in a name", [{ name: settings.replace("settings", "a\nb"), body: "{}" }], "no backup has"],
    [
      "a name that is not UTF-8",
      [{ name: "x", type: "L", body: Buffer.from([0xff, 0xfe, 0]), magic: "ustar " }, good],
      "UTF-8",
    ],
    ["the same name twice", [good, good], "occurs twice"],
    ["two format versions", [version, version], "two format versions"],
    [
      "a pax path with a NUL",
      [{ name: "x", type: "x", body: pax("path", `${settings}\0.txt`) }, good],
      "NUL",
    ],
    [
      "two pax paths",
      [{ name: "x", type: "x", body: pax("path", "a") + pax("path", settings) }, good],
      "twice",
    ],
    ["a pax size", [{ name: "x", type: "x", body: pax("size", "1") }, good], 'overrides "size"'],
    ["a pax link", [{ name: "x", type: "x", body: pax("linkpath", "/etc") }, good], 'overrides "linkpath"'],
    ["a pax header without length", [{ name: "x", type: "x", body: "path=x\n" }, good], "malformed"],
    ["a pax header longer than itself", [{ name: "x", type: "x", body: "999 path=x\n" }, good], "malformed"],
    ["a pax header of length 0", [{ name: "x", type: "x", body: "0 path=x\n" }, good], "malformed"],
    [
      "two long names in a row",
      [
        { name: "x", type: "x", body: pax("path", "a") },
        { name: "x", type: "x", body: pax("path", "b") },
        good,
      ],
      "follow each other",
    ],
    ["a long name without a file", [{ name: "x", type: "x", body: pax("path", "a") }], "has no file"],
    ["a giant pax header", [{ name: "x", type: "x", body: "a".repeat(70_000) }, good], "the limit is"],
    ["a negative size", [{ ...good, size: negative }], "negative"],
    ["an enormous size", [{ ...good, size: huge }], "enormous"],
    ["a size with a minus", [{ ...good, size: "-0000000001\0" }], "no number"],
    ["a size in words", [{ ...good, size: "lots\0\0\0\0\0\0\0\0" }], "no number"],
    ["a size beyond the limit", [{ ...good, size: "77777777777\0" }], "the limit is"],
    ["a wrong checksum", [{ ...good, checksum: 1 }], "checksum"],
    ["a format before ustar", [{ ...good, magic: "\0\0\0\0\0\0" }], "not a ustar"],
    ["a folder with a content", [{ name: "resources/", type: "5", size: "00000000010\0" }], "has a content"],
  ] as [string, TarEntry[], string][])("readArchive() refuses %s", async (_title, entries, reason) => {
    await expect(read(tarGz([version, ...entries]))).rejects.toMatchObject({
      code: "ARCHIVE_INVALID",
      retry: false,
      message: expect.stringContaining(reason),
    });
  });

  test.each(["2", "1.x", "", "1.1.0\u001b[2J", "99.0.0", "latest"])(
    "readArchive() refuses format version %j",
    async (body) => {
      const refusal = read(tarGz([{ name: "metadata/version", body }]));
      await expect(refusal).rejects.toMatchObject({ code: "ARCHIVE_VERSION", retry: false });
      await expect(refusal).rejects.not.toThrow("\u001b");
    },
  );

  const bytes = tar([version, { name: settings, body: configMap() }]);
  const packed = gzipSync(bytes);
  const broken = Buffer.from(packed);
  broken[packed.length - 6] = (broken[packed.length - 6] ?? 0) ^ 0xff;
  test.each([
    ["cut in the compression", packed.subarray(0, packed.length - 20), "cut"],
    ["cut after its first byte", packed.subarray(0, 1), "cut"],
    ["empty", Buffer.alloc(0), "cut"],
    ["not compressed", bytes, "damaged"],
    ["of text", Buffer.from("<html>access denied</html>"), "damaged"],
    ["with a wrong check sum", broken, "damaged"],
    ["raw deflate", deflateRawSync(bytes), "damaged"],
    ["cut in a header", gzipSync(bytes.subarray(0, 600)), "truncated"],
    ["cut in a file", gzipSync(bytes.subarray(0, 1600)), "truncated"],
    ["without its end marker", gzipSync(bytes.subarray(0, -1024)), "truncated"],
    ["with half an end marker", gzipSync(bytes.subarray(0, -512)), "truncated"],
    [
      "with garbage after the tar",
      gzipSync(Buffer.concat([bytes, Buffer.from("garbage")])),
      "more after the end",
    ],
    [
      "with a file after one zero block",
      gzipSync(Buffer.concat([Buffer.alloc(512), bytes])),
      "more after the end",
    ],
    ["with a second archive behind it", Buffer.concat([packed, packed]), "more after the end"],
    ["with garbage after the compression", Buffer.concat([packed, Buffer.from("garbage")]), "damaged"],
    [
      "with a gzip-like garbage behind it",
      Buffer.concat([packed, Buffer.from([0x1f, 0x8b, 9, 9, 9])]),
      "damaged",
    ],
  ] as [string, Buffer, string][])("readArchive() refuses an archive %s", async (_title, archive, reason) => {
    await expect(read(archive)).rejects.toMatchObject({
      code: "ARCHIVE_INVALID",
      message: expect.stringContaining(reason),
    });
  });

  test("readArchive() stops a compression bomb long before it has unfolded", async () => {
    const bomb = gzipSync(
      Buffer.concat([
        tar([{ name: settings, size: "00400000000\0" }], { end: false }),
        Buffer.alloc(64 << 20),
      ]),
    );
    const limits = { ratioFromBytes: 4 << 20, fileBytes: 1 << 30 };
    await expect(read(bomb, { limits })).rejects.toThrow("compression bomb");
    await expect(read(bomb, { limits: { totalBytes: 1 << 20, fileBytes: 1 << 30 } })).rejects.toThrow(
      "more than 1048576 bytes",
    );
    await expect(read(bomb)).rejects.toThrow("the limit is");
  });

  test("readArchive() stops at the limit of entries", async () => {
    const many = Array.from({ length: 50 }, (_, n) => ({
      name: `resources/configmaps/namespaces/shop/c${n}.json`,
      body: configMap(`c${n}`),
    }));
    await expect(read(tarGz(many), { limits: { entries: 40 } })).rejects.toThrow("more than 40 entries");
  });

  test("readArchive() keeps a store's failure apart from the archive's", async () => {
    const spool = await Spool.open();
    onTestFinished(async () => await spool.close());
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield packed.subarray(0, 50);
      throw new Error("connection reset");
    }
    const choice = { keeps: () => true, selects: () => true };
    await expect(readArchive(failing(), spool, choice, forever)).rejects.toThrow("connection reset");
  });

  test("readArchive() ends with its signal", async () => {
    const spool = await Spool.open();
    onTestFinished(async () => await spool.close());
    const stop = new AbortController();
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield packed.subarray(0, 50);
      stop.abort(new Error("stopped"));
      await new Promise(() => undefined);
    }
    const choice = { keeps: () => true, selects: () => true };
    await expect(readArchive(endless(), spool, choice, stop.signal)).rejects.toThrow("stopped");
  });
});

describe("items that cannot be read", () => {
  test("readArchive() refuses that item and takes the others", async () => {
    const good = { name: settings.replace("settings", "good"), body: configMap("good") };
    const { spool, summary } = await read(tarGz([version, { name: settings, body: "{" }, good]));
    expect(summary.faults).toMatchObject([{ entry: { name: "settings" }, reason: "it is no JSON" }]);
    expect(await text(spool, "configmaps", "shop", "settings")).toBe("absent");
    expect(await text(spool, "configmaps", "shop", "good")).toBe(configMap("good"));
  });

  test("readArchive() counts faults beyond the first thousand without keeping them", async () => {
    const bad = Array.from({ length: 1005 }, (_, n) => ({
      name: `resources/configmaps/namespaces/shop/c${n}.json`,
      body: "{",
    }));
    const { summary } = await read(tarGz(bad));
    expect(summary.faults).toHaveLength(1000);
    expect(summary.moreFaults).toBe(5);
  });
});

/** A file whose name may need a pax header. */
function longName(name: string, body: string): TarEntry[] {
  return name.length <= 100
    ? [{ name, body }]
    : [
        { name: "x", type: "x", body: pax("path", name) },
        { name: "long", body },
      ];
}

// HEADWAY_LONG=1: a million; otherwise enough to see what an entry costs.
const many = process.env["HEADWAY_LONG"] === "1" ? 1_000_000 : 60_000;

test(`an archive of ${many} tiny entries costs a bounded few bytes of memory for each`, async () => {
  const spool = await Spool.open();
  onTestFinished(async () => await spool.close());
  const live = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  let most = 0;
  const before = live();
  const body = (name: string) =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","namespace":"shop"}}`;
  async function* blocks(): AsyncGenerator<Buffer> {
    yield tar([version], { end: false });
    for (let at = 0; at < many; at += 1_000) {
      const entries = Array.from({ length: Math.min(1_000, many - at) }, (_, n) => {
        const name = `c${at + n}`;
        return { name: `resources/configmaps/namespaces/shop/${name}.json`, body: body(name) };
      });
      yield tar(entries, { end: false });
      most = Math.max(most, live() - before);
    }
    yield Buffer.alloc(1024);
  }
  const gzip = Readable.from(blocks()).pipe(createGzip({ level: 1 }));
  const choice = { keeps: () => true, selects: () => true };
  const summary = await readArchive(gzip, spool, choice, forever);
  expect(summary).toMatchObject({ items: many, faults: [] });
  expect(await text(spool, "configmaps", "shop", `c${many - 1}`)).toBe(body(`c${many - 1}`));
  // What making the archive costs here, and garbage that nobody has collected yet, is in the first 150 MB.
  expect(most).toBeLessThan(150e6 + many * 128);
}, 600_000);
