import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type BrowsePlace,
  diffBackups,
  inventoryOf,
  namesIn,
  openBackup,
  pathIn,
  sightings,
  volumeAt,
} from "../../../src/browse/index.ts";
import { moverFinder } from "../../../src/engines/podvolume/index.ts";
import { ApiError, builtIn } from "../../../src/kube/index.ts";
import { type BrowseWorld, openBrowseWorld } from "../../harness/browse-world.ts";
import { findTestMover, testMoverFolders } from "../../harness/movers.ts";
import { ensureNamespace } from "../../harness/volume-world.ts";

const [skipAny] = [findTestMover("restic", "0.18"), findTestMover("kopia")].flatMap((found) =>
  "missing" in found ? [found.missing] : [],
);

let world: BrowseWorld;
let shop = "";

beforeAll(async () => {
  world = await openBrowseWorld();
  if (skipAny !== undefined) return;
  shop = world.space("shop");
  const metadata = { name: "goods", namespace: shop };
  const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...metadata, name: "key" },
    data: { k: "czNjcjN0" },
  };
  const things = [
    { type: "configmaps", thing: configMap },
    { type: "secrets", thing: secret },
  ];
  const from = join(world.folder, "from");
  mkdirSync(join(from, "sub"), { recursive: true });
  writeFileSync(join(from, "app.conf"), "port = 1\n");
  writeFileSync(join(from, "sub/bytes"), Buffer.from([0, 255, 10, 27]));
  writeFileSync(join(from, "evil\u001b]0;owned\u0007\nname"), "x");
  symlinkSync("/etc/passwd", join(from, "out"));
  for (const [name, at] of [
    ["monday", "2026-01-05T00:00:00Z"],
    ["tuesday", "2026-01-06T00:00:00Z"],
  ] as const) {
    const later = [
      { type: "configmaps", thing: { ...configMap, data: { a: "2" } } },
      { type: "secrets", thing: { ...secret, data: { k: "bmV3LXMzY3IzdA==" } } },
      {
        type: "services",
        thing: { apiVersion: "v1", kind: "Service", metadata: { ...metadata, name: "web" } },
      },
    ];
    await world.backup(name, at, name === "monday" ? things : later);
    if (name === "tuesday") writeFileSync(join(from, "app.conf"), "port = 22\n");
    await world.copy(name, "restic", from, { space: "shop", pod: "web-0", volume: "data" });
    await world.copy(name, "kopia", from, { space: "shop", volume: "claim" });
  }
}, 180_000);
afterAll(() => world?.close());

test.skipIf(skipAny)("backup ls tells objects and volumes, and the objects of a namespace", async () => {
  const { code, out, err } = await world.headway("backup", "ls", "monday");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain(`${shop}: configmaps 1, secrets 1\n`);
  expect(out).toMatch(new RegExp(`${shop}/web-0/data +restic`));
  expect(out).toMatch(new RegExp(`${shop}/pvc:claim +claim +kopia`));
  expect((await world.headway("backup", "ls", "monday", shop)).out).toBe("configmaps/goods\nsecrets/key\n");
});

describe.skipIf(skipAny).each(["web-0/data", "pvc:claim"])("files of %s", (volume) => {
  const at = (path = "") => `${shop}/${volume}${path}`;

  test("ls lists a folder, page by page, and names move no cursor", async () => {
    const { code, out } = await world.headway("backup", "ls", "monday", at());
    expect(code).toBe(0);
    expect(out).toContain("app.conf");
    expect(out).toContain("sub/");
    expect(out).toContain("evil\\u001b]0;owned\\u0007\\nname");
    // oxlint-disable-next-line no-control-regex -- what must not come out
    expect(out.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f]/);
    const paged = await world.headway(
      "backup",
      "ls",
      "monday",
      at(),
      "--limit",
      "1",
      "--skip",
      "1",
      "-o",
      "json",
    );
    expect(JSON.parse(paged.out)).toMatchObject({ entries: [expect.anything()], next: 2 });
    const file = await world.headway("backup", "ls", "monday", at("/app.conf"), "-o", "json");
    expect(JSON.parse(file.out)).toMatchObject({ entries: [{ name: "app.conf", type: "file", bytes: 9 }] });
  });

  test("cat prints a file byte for byte, and follows no link", async () => {
    const { code, bytes } = await world.headway("backup", "cat", "monday", at("/sub/bytes"));
    expect([code, ...bytes]).toEqual([0, 0, 255, 10, 27]);
    const refused = await world.headway("backup", "cat", "monday", at("/out"));
    expect([refused.code, refused.bytes.length]).toEqual([1, 0]);
    const climbing = await world.headway("backup", "cat", "monday", at("/sub/../../x"));
    expect(climbing.code).toBe(2);
  });
});

// The tar of a folder and the search are shown with every mover in src/movers/contents; here once is enough.
describe.skipIf(skipAny)("files of a pod volume", () => {
  const volume = "web-0/data";
  const at = (path = "") => `${shop}/${volume}${path}`;

  test("download saves a file as it is and a folder as tar, and nothing over what is there", async () => {
    const to = join(world.folder, `${volume.replaceAll(/\W/g, "-")}.tar`);
    const save = ["backup", "download", "monday", at("/sub"), "-o", to];
    expect((await world.headway(...save)).code).toBe(0);
    expect(String(spawnSync("tar", ["-tf", to]).stdout)).toBe("bytes\n");
    expect((await world.headway(...save)).code).toBe(2);
    const file = `${to}.conf`;
    expect((await world.headway("backup", "download", "monday", at("/app.conf"), "-o", file)).code).toBe(0);
    expect(readFileSync(file, "utf8")).toBe("port = 1\n");
  });

  test("find tells in which backups a path is, and when it changed", async () => {
    const found = await world.headway("backup", "find", at("/app.conf"), "-o", "json");
    expect(JSON.parse(found.out)).toMatchObject([
      { backup: "monday", change: "first", entry: { bytes: 9 } },
      { backup: "tuesday", change: "changed", entry: { bytes: 10 } },
    ]);
  });
});

test.skipIf(skipAny)("a volume that the backup does not have is told with those that it has", async () => {
  const { code, err } = await world.headway("backup", "ls", "monday", `${shop}/web-1/data`);
  expect(code).toBe(1);
  expect(err).toContain(`it has ${shop}/pvc:claim, ${shop}/web-0/data`);
});

describe.skipIf(skipAny)("backup diff", () => {
  test("tells objects field by field, files of volumes, and no value of a Secret", async () => {
    const { code, out, err } = await world.headway("backup", "diff", "monday", "tuesday");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toBe(
      [
        `+ services ${shop}/web`,
        `~ configmaps ${shop}/goods`,
        '    data.a: "1" -> "2"',
        `~ secrets ${shop}/key`,
        '    data.k: "(hidden)" -> "(hidden)"',
        `~ volume ${shop}/pvc:claim: files 0 added, 0 removed, 1 changed`,
        "    ~ /app.conf",
        `~ volume ${shop}/web-0/data: files 0 added, 0 removed, 1 changed`,
        "    ~ /app.conf",
        "3 objects differ, 0 are the same.",
        "",
      ].join("\n"),
    );
  });

  test("--live compares with what runs, in the kinds and namespaces of the backup", async () => {
    const data = { a: "3" };
    await ensureNamespace(world.client, shop);
    const metadata = { name: "goods", namespace: shop };
    const live = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
    await world.client.create(builtIn.configMaps, live as never); // a ConfigMap has data beside its metadata
    const { out } = await world.headway(
      "backup",
      "diff",
      "monday",
      "--live",
      "-o",
      "json",
      "--include-resources",
      "configmaps,secrets",
    );
    expect(JSON.parse(out)).toMatchObject({
      objects: {
        removed: [{ resource: "secrets", name: "key" }],
        changed: [
          { resource: "configmaps", name: "goods", fields: [{ path: "data.a", before: "1", after: "3" }] },
        ],
      },
    });
    expect((await world.headway("backup", "diff", "monday")).code).toBe(2);
  });
});

/** The cluster as somebody sees it whose rights are these; the embedded cluster lets everybody do everything. */
function person(may: (wish: Readonly<Record<string, string>>) => boolean): BrowsePlace {
  const { client, namespace } = world;
  type Review = { readonly spec?: { readonly resourceAttributes?: Readonly<Record<string, string>> } };
  const place = {
    namespace,
    mover: moverFinder({ scratch: join(world.folder, "person"), folders: testMoverFolders() }),
    client: {
      list: client.list.bind(client),
      watch: client.watch.bind(client),
      get: async (...[resource, name, query, signal]: Parameters<typeof client.get>) => {
        const { group, plural } = resource;
        if (may({ verb: "get", group, resource: plural, namespace: query?.namespace ?? "" }))
          return await client.get(resource, name, query, signal);
        throw new ApiError("read", { code: 403, reason: "Forbidden", message: `no ${plural} for you` });
      },
      create: async (...[resource, object, options, signal]: Parameters<typeof client.create>) => {
        if (resource.plural !== "selfsubjectaccessreviews")
          return await client.create(resource, object, options, signal);
        return { status: { allowed: may((object as Review).spec?.resourceAttributes ?? {}) } };
      },
    },
  };
  return place as unknown as BrowsePlace; // the same calls, with less behind them
}

describe.skipIf(skipAny)("somebody with few rights", () => {
  const signal = AbortSignal.timeout(170_000);
  const readsBackups = ({ group = "" }: Readonly<Record<string, string>>) => group === "velero.io";

  test("sees nothing of Secrets and of namespaces that they may not read", async () => {
    const noSecrets = person(
      ({ verb, resource, namespace }) =>
        verb === "get" && resource !== "secrets" && resource !== "*" && namespace !== "velero",
    );
    const { rights } = await openBackup(noSecrets, "monday", signal);
    const seen = await inventoryOf(noSecrets, "monday", rights, signal);
    expect(seen).toEqual([{ namespace: shop, kinds: [{ resource: "configmaps", objects: 1 }] }]);
    expect(await namesIn(noSecrets, "monday", { namespace: shop, rights }, signal)).toEqual([
      "configmaps/goods",
    ]);
    const filter = { namespaces: [], resources: [] };
    const found = await diffBackups(noSecrets, ["monday", "tuesday"], { filter, volumes: true }, signal);
    expect(JSON.stringify(found)).not.toContain("secrets");
    expect(JSON.stringify(found)).not.toContain("app.conf");
    expect(found.volumes?.map(({ change }) => change)).toEqual(["denied", "denied"]);
    const nobody = person(readsBackups);
    const closed = await openBackup(nobody, "monday", signal);
    expect(closed.volumes).toEqual([]);
    expect(await inventoryOf(nobody, "monday", closed.rights, signal)).toEqual([]);
  });

  test("reads no file without the right to run commands in the pods, nor without the Secrets of the location", async () => {
    const volume = { namespace: shop, pod: "web-0", volume: "data" };
    const noExec = person(({ verb }) => verb === "get");
    const opened = await openBackup(noExec, "monday", signal);
    await expect(volumeAt(opened, volume)).rejects.toMatchObject({ code: "BROWSE_DENIED" });
    await expect(
      Array.fromAsync(sightings(noExec, { volume, path: "/app.conf" }, 9, signal)),
    ).rejects.toMatchObject({
      code: "BROWSE_DENIED",
    });
    const noSecrets = person(({ resource }) => resource !== "secrets");
    const found = await volumeAt(await openBackup(noSecrets, "monday", signal), volume);
    await expect(pathIn(noSecrets, found, "/", signal)).rejects.toMatchObject({
      code: "KUBE_API",
      status: { code: 403 },
    });
  });
});
