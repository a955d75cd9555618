import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Backup, kinds } from "../../../src/api/index.ts";
import { resourceOf } from "../../../src/kube/index.ts";
import { BackupStage, follow, tarNames } from "../../harness/backup-stage.ts";

// HEADWAY_LONG=1: 30 kills of backups of 20,000 items; otherwise a few kills of smaller ones.
const long = process.env["HEADWAY_LONG"] === "1";
const items = Number(process.env["HEADWAY_ITEMS"] ?? (long ? 20_000 : 1_000));
const kills = Number(process.env["HEADWAY_KILLS"] ?? (long ? 30 : 3));

let stage: BackupStage;
let app: string;
/** How long a backup takes that nobody disturbs. */
let runMs = 0;
beforeAll(async () => {
  stage = await BackupStage.open();
  app = await stage.app("many");
  await stage.configMaps(app, items);
  runMs = await undisturbed();
}, 600_000);
afterAll(() => stage.close(), 120_000);

test(
  `an operator killed at any moment of a backup goes on after its restart (${kills} times, ${items} items)`,
  async () => {
    const moments: string[] = [];
    for (let i = 0; i < kills; i++) moments.push(await killedOnce(`killed-${i}`, i / kills));
    console.log(`killed at: ${moments.join("; ")}`);
    expect(moments).toHaveLength(kills);
  },
  kills * 120_000,
);

async function undisturbed(): Promise<number> {
  const operator = stage.process();
  await stage.create("undisturbed", {
    includedNamespaces: [app],
    includedNamespaceScopedResources: ["configmaps"],
  });
  await begun("undisturbed");
  const start = performance.now();
  await stage.ended("undisturbed", 120_000);
  operator.kill("SIGKILL");
  await once(operator, "exit");
  return performance.now() - start;
}

/** Kills the operator somewhere between its start and the backup's end, starts it again, and checks what came out. */
async function killedOnce(name: string, when: number): Promise<string> {
  const stop = new AbortController();
  const seen: { phase: string; total: number; done: number }[] = [];
  const backup = await stage.create(name, {
    includedNamespaces: [app],
    includedNamespaceScopedResources: ["configmaps"],
  });
  const watching = (async () => {
    for await (const { status } of follow<Backup>(
      stage.client,
      resourceOf(kinds.Backup),
      backup,
      stop.signal,
    )) {
      seen.push({
        phase: status?.phase ?? "",
        total: status?.progress?.totalItems ?? 0,
        done: status?.progress?.itemsBackedUp ?? 0,
      });
    }
  })().catch(() => undefined);
  const first = stage.process();
  await begun(name);
  await new Promise((resolve) => setTimeout(resolve, when * runMs));
  const at = seen.at(-1);
  first.kill("SIGKILL");
  await once(first, "exit");
  const second = stage.process();
  const ended = await stage.ended(name, 110_000);
  second.kill("SIGKILL");
  await once(second, "exit");
  stop.abort();
  await watching;
  expect(ended.status).toMatchObject({ phase: "Completed" });
  const names = new Set(tarNames(stage.read(name, `${name}.tar.gz`)));
  for (let i = 0; i < items; i++)
    expect(names.has(`resources/configmaps/namespaces/${app}/cm-${i}.json`)).toBe(true);
  for (const [i, state] of seen.entries()) expect(state.done).toBeGreaterThanOrEqual(seen[i - 1]?.done ?? 0);
  expect(seen.filter(({ phase }) => phase === "Completed").length).toBeLessThanOrEqual(1);
  expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["InProgress", "Completed"]));
  return `${at?.phase ?? "before"} ${at?.done ?? 0}/${at?.total ?? 0}`;
}

async function begun(name: string): Promise<void> {
  for (;;) {
    if ((await stage.get(name)).status?.phase !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
