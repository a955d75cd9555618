import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../../src/api/index.ts";
import { run } from "../../../src/cli/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { openCluster, type TestCluster } from "../../harness/cluster.ts";
import { installDefinitions } from "../../harness/definitions.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await openCluster();
  await installDefinitions(cluster.client);
  const { client, namespace } = cluster;
  const location = {
    apiVersion: "velero.io/v1",
    kind: "BackupStorageLocation",
    metadata: { name: "default", namespace },
    spec: { provider: "filesystem", config: { path: "/nowhere" }, objectStorage: { bucket: "b" } },
  };
  await client.create(resourceOf(kinds.BackupStorageLocation), location);
  const backup = {
    apiVersion: "velero.io/v1",
    kind: "Backup",
    metadata: { name: "shop", namespace },
    spec: {},
  };
  await client.create(resourceOf(kinds.Backup), backup);
});
afterAll(() => cluster.close());

/** Runs words on the cluster; flags that name it stand in front of the command. */
async function headway(...words: string[]) {
  const seen = { out: "", err: "" };
  const io = {
    out: (text: string) => void (seen.out += text),
    err: (text: string) => void (seen.err += text),
    env: {},
    terminal: undefined,
    color: false,
  };
  const place = ["--kubeconfig", cluster.kubeconfig, "-n", cluster.namespace];
  const code = await run([...place, ...words], new AbortController().signal, io);
  return { code, ...seen };
}

describe("names are looked up before anything is requested", () => {
  test.each([
    ["a restore of a backup", "restore create r --from-backup nope", 'no backup "nope"', "there are: shop"],
    [
      "a restore of a schedule",
      "restore create r --from-schedule nope",
      'no schedule "nope"',
      "there is none",
    ],
    [
      "a backup to a location",
      "backup create b --storage-location nope",
      'no storage location "nope"',
      "there are: default",
    ],
    ["a backup of a schedule", "backup create b --from-schedule nope", 'no schedule "nope"', "there is none"],
    [
      "a backup to a snapshot location",
      "backup create b --volume-snapshot-locations nope",
      'no snapshot location "nope"',
      "there is none",
    ],
    [
      "a schedule of a location",
      "schedule create s --schedule @daily --storage-location nope",
      'no storage location "nope"',
      "there are: default",
    ],
    [
      "a plan of clusters",
      "plan create p --from blue --to green --storage s --namespaces a",
      'no cluster "blue"',
      "there is none",
    ],
    ["a migration of a plan", "migration create m --plan nope", 'no plan "nope"', "there is none"],
  ])("%s", async (_title, words, missing, there) => {
    const { code, err } = await headway(...words.split(" "));
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(missing) });
    expect(err).toContain(there);
    expect(err).not.toContain("requested");
  });

  test("but not for what is only printed", async () => {
    const { code, out } = await headway("restore", "create", "r", "--from-backup", "nope", "-o", "json");
    expect({ code, name: JSON.parse(out).spec.backupName }).toEqual({ code: 0, name: "nope" });
  });
});

describe("words of kubectl and of upstream's command line", () => {
  test.each([
    ["get backups", /^shop +New/m],
    ["get backup shop", /^shop +New/m],
    ["get backup/shop", /^shop +New/m],
    ["backup get -o wide", /NAMESPACES +ITEMS +TOOK/],
    ["get backups -o name", /^backup\.velero\.io\/shop$/m],
    ["get locations -o name", /^backupstoragelocation\.velero\.io\/default$/m],
    ["describe backup shop", /^Name: +shop$/m],
    ["--version", /^headway \d+\.\d+\.\d+/],
    ["create backup made --dry-run=client -o name", /^backup\.velero\.io\/made$/m],
    ["create backup made --dry-run=client -o yaml", /^kind: Backup$/m],
  ])("%s", async (words, out) => {
    expect(await headway(...words.split(" "))).toMatchObject({ code: 0, out: expect.stringMatching(out) });
  });

  test("a list as data has its kinds, as kubectl prints it", async () => {
    const { out } = await headway("get", "backups", "-o", "json");
    expect(JSON.parse(out).items).toMatchObject([{ apiVersion: "velero.io/v1", kind: "Backup" }]);
  });

  test.each(["client", "server"])("--dry-run=%s makes nothing and says what it would be", async (mode) => {
    const { code, err } = await headway("backup", "create", "tried", `--dry-run=${mode}`);
    expect({ code, err }).toEqual({
      code: 0,
      err: `backup.velero.io/tried would be made (dry run: ${mode})\n`,
    });
    expect((await headway("get", "backup", "tried")).code).toBe(1);
  });

  test("--dry-run=server asks the cluster, which may refuse", async () => {
    const { code, err } = await headway("backup", "create", "shop", "--dry-run=server");
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('there is a backup "shop"') });
  });

  test("create, get, delete with the verb in front", async () => {
    expect(await headway("create", "schedule", "s", "--schedule", "@daily")).toMatchObject({ code: 0 });
    expect((await headway("get", "schedules")).out).toMatch(/^s +New .* default +n\/a/m);
    expect(await headway("delete", "schedule/s")).toMatchObject({ code: 0 });
    expect(await headway("get", "schedule", "s")).toMatchObject({ code: 1 });
  });
});

describe("refusals say in plain words what to do", () => {
  test.each([
    ["backup describe nope", 1, 'there is no backup "nope"'],
    ["restore logs nope", 1, 'there is no restore "nope"'],
    ["schedule delete nope", 1, 'there is no schedule "nope"'],
    ["get operations --state bogus", 2, 'not "bogus"'],
    ["location create l --provider aws", 2, 'provider "aws" needs --bucket'],
  ])("%s", async (words, code, err) => {
    const answer = await headway(...words.split(" "));
    expect(answer).toMatchObject({ code, err: expect.stringContaining(err) });
    expect(answer.err).not.toMatch(/404|NotFound/);
  });

  test("a folder of backups needs no bucket", async () => {
    const words = "location create l --provider filesystem --config path=/mnt/backups -o json";
    expect(JSON.parse((await headway(...words.split(" "))).out).spec.objectStorage.bucket).toBe("backups");
  });
});
