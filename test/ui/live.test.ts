import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds, type Restore } from "../../src/api/index.ts";
import { builtIn, connectTo, resourceOf } from "../../src/kube/index.ts";
import { ActionStage, task } from "../harness/action-stage.ts";
import { BackupStage } from "../harness/backup-stage.ts";
import { noBrowser, openBrowser, openTab, shownBar } from "../harness/browser.ts";
import { installDefinitions } from "../harness/definitions.ts";
import { eventually } from "../harness/eventually.ts";
import { FaultProxy, type Seen } from "../harness/fault-proxy.ts";
import {
  ended,
  makeShop,
  migrate,
  openMigrationWorld,
  readyPlan,
  shopFile,
} from "../harness/migration-world.ts";
import { PageServer } from "../harness/page-server.ts";

let browser: Browser;
beforeAll(async () => {
  if (!noBrowser) browser = await openBrowser();
});
afterAll(() => browser?.close());

const why = noBrowser ?? (process.getuid?.() === 0 ? undefined : "pods of the embedded cluster need root");
const suite = test.skipIf(why !== undefined);

interface Watched {
  readonly kind: string;
  readonly name: string;
  /** The bar's label. */
  readonly title: string;
}

/** Opens the page of an operation that is not there yet, starts it, and waits until its bar is on its way. */
async function begin(
  server: PageServer,
  namespace: string,
  { kind, name, title }: Watched,
  start: () => Promise<unknown>,
) {
  const tab = await openTab(browser, server.address(`/operations/${kind}/${namespace}/${name}`));
  await tab.page.getByText("then it appears here by itself").waitFor();
  await start();
  await eventually(
    () => shownBar(tab.page, title),
    (shown) => shown.some(isOnItsWay),
    200_000,
  );
  return tab;
}

/** Follows an operation from before its start to its end; `midway` is called when its bar is on its way. */
async function watch(
  server: PageServer,
  namespace: string,
  watched: Watched,
  start: () => Promise<unknown>,
  midway: () => void = () => undefined,
) {
  const tab = await begin(server, namespace, watched, start);
  midway();
  await tab.page.locator("h1 + [data-state=completed]").waitFor({ timeout: 200_000 });
  const shown = await shownBar(tab.page, watched.title);
  const steps = await stepStates(tab.page);
  tab.clean();
  return { shown, steps };
}

const isOnItsWay = (percent: number) => percent > 0 && percent < 100;

function expectClimb(shown: readonly number[]): void {
  expect(shown.some(isOnItsWay)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(shown.at(-1)).toBe(100);
}

/** Holds back the requests that match until it is let go, so that the fastest machine, too, is seen in the middle of its work. */
function hold(proxy: FaultProxy, matches: (request: Seen) => boolean): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  proxy.fault = (request) => (matches(request) ? promise : undefined);
  return () => {
    proxy.fault = () => undefined;
    resolve(undefined);
  };
}

interface HeldStage {
  readonly stage: BackupStage;
  /** Stands between the operator and the cluster. */
  readonly proxy: FaultProxy;
  readonly server: PageServer;
}

/** A cluster with an operator whose requests can be held back, and its page. */
async function withHeldStage(use: (held: HeldStage) => Promise<void>): Promise<void> {
  const stage = await BackupStage.open();
  const proxy = await FaultProxy.open(stage.cluster.access);
  const client = connectTo({ server: proxy.url });
  try {
    await installDefinitions(stage.client);
    const server = await PageServer.open(stage.client, stage.namespace);
    const stop = stage.operator(stage.namespace, undefined, { client });
    try {
      await use({ stage, proxy, server });
    } finally {
      await server.close();
      await stop();
    }
  } finally {
    client.close();
    await proxy.close();
    await stage.close();
  }
}

const objects = 400;

suite(
  "a real backup and a real restore are canceled from the page; the next ones climb to 100 and never fall",
  {
    timeout: 300_000,
  },
  () =>
    withHeldStage(async ({ stage, proxy, server }) => {
      const { client, namespace } = stage;
      const app = await stage.app("live");
      await stage.configMaps(app, objects);
      const backup = (name: string) => ({ kind: "backup", name, title: `Backup ${name}` });
      const take = (name: string) => () => stage.create(name, { includedNamespaces: [app] });
      // Everything after the first page of a list.
      const isNextPage = ({ path, query }: Seen) =>
        path.endsWith(`/namespaces/${app}/configmaps`) && query.has("continue");

      let goOn = hold(proxy, isNextPage);
      const halted = await begin(server, namespace, backup("halt"), take("halt"));
      await cancelOn(halted.page, "what it has stored so far is removed from the storage location");
      goOn();
      halted.clean();
      expect((await stage.get("halt")).status).toMatchObject({
        phase: "Failed",
        failureReason: "canceled by request",
      });
      expect(stage.files("halt")).toEqual([]);
      expect(readdirSync(join(stage.folder, "temp"))).toEqual([]);

      goOn = hold(proxy, isNextPage);
      const taken = await watch(server, namespace, backup("live"), take("live"), goOn);
      expectClimb(taken.shown);
      expect(new Set(taken.steps)).toEqual(new Set(["completed"]));

      const copies = async (name: string) =>
        (await client.list(builtIn.configMaps, { namespace: `${app}-${name}` })).filter(({ metadata }) =>
          metadata.name.startsWith("cm-"),
        ).length;
      const restore = (name: string) => ({ kind: "restore", name, title: `Restore ${name}` });
      const bring = (name: string) => () =>
        client.create(resourceOf(kinds.Restore), {
          apiVersion: "velero.io/v1",
          kind: "Restore",
          metadata: { name, namespace },
          spec: { backupName: "live", namespaceMapping: { [app]: `${app}-${name}` } },
        });
      const isLaterHalf = (name: string) => {
        let created = 0;
        return ({ method, path }: Seen) =>
          method === "POST" &&
          path.endsWith(`/namespaces/${app}-${name}/configmaps`) &&
          ++created > objects / 2;
      };

      goOn = hold(proxy, isLaterHalf("halt"));
      const stopped = await begin(server, namespace, restore("halt"), bring("halt"));
      await cancelOn(stopped.page, "that are already back stay as they are; nothing is undone");
      goOn();
      stopped.clean();
      expect(await client.get<Restore>(resourceOf(kinds.Restore), "halt", { namespace })).toMatchObject({
        status: { phase: "Failed", failureReason: "canceled by request" },
      });
      const cameBack = await copies("halt");
      expect(cameBack).toBeGreaterThan(0);
      expect(cameBack).toBeLessThanOrEqual(objects / 2);
      expect(readdirSync(join(stage.folder, "temp"))).toEqual([]);

      goOn = hold(proxy, isLaterHalf("live"));
      const back = await watch(server, namespace, restore("live"), bring("live"), goOn);
      expectClimb(back.shown);
      expect(await copies("live")).toBe(objects);
      // What the canceled one had brought back stays, and nothing came after it.
      expect(await copies("halt")).toBe(cameBack);
    }),
);

/** Cancels what a page shows, after reading what that will do. */
async function cancelOn(page: Page, says: string): Promise<void> {
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(says).waitFor();
  await dialog.getByRole("button", { name: "Cancel it" }).click();
  await page.locator("h1 + [data-state=canceled]").waitFor({ timeout: 120_000 });
}

function stepStates(page: Page): Promise<readonly string[]> {
  const read = "[...document.querySelectorAll('[data-step-state]')].map((step) => step.dataset.stepState)";
  return page.evaluate(read) as Promise<readonly string[]>; // what the expression gives
}

suite("a real action climbs through its phases; another is canceled from the page, and what was said happens", {
  timeout: 300_000,
}, async () => {
  const stage = await ActionStage.open();
  const { client, namespace } = stage;
  const server = await PageServer.open(client, namespace);
  try {
    stage.operator();
    const { shown, steps } = await watch(
      server,
      namespace,
      { kind: "actionset", name: "live", title: "ActionSet live" },
      () =>
        stage.run("live", {
          phases: [task("first", "sleep 1"), task("second", "sleep 1"), task("third", "sleep 1")],
        }),
    );
    expectClimb(shown);
    expect(steps).toEqual(["completed", "completed", "completed"]);
    await stage.run("long", {
      phases: [task("first", "true"), task("second", "sleep 600"), task("third", "true")],
    });
    const { page, clean } = await openTab(browser, server.address(`/operations/actionset/${namespace}/long`));
    await page.locator("[data-step-state=running]", { hasText: "Second" }).waitFor({ timeout: 120_000 });
    await cancelOn(page, "The phase that runs is cut off and its pods are deleted; later phases are skipped");
    expect(await stepStates(page)).toEqual(["completed", "canceled", "skipped"]);
    // The page knows it from the Operation, which may be written before the ActionSet's own status.
    const said = await eventually(
      () => stage.status("long"),
      ({ state }) => state === "failed",
    );
    expect(said).toMatchObject({ error: { message: "canceled by request" } });
    await expect.poll(() => stage.pods(), { timeout: 60_000 }).toEqual([]);
    clean();
  } finally {
    await server.close();
    await stage.close();
  }
});

suite("a real migration is canceled from the page and undone; the next one goes through all its steps", {
  timeout: 400_000,
}, async () => {
  const world = await openMigrationWorld();
  const server = await PageServer.open(world.green.client, "velero");
  try {
    world.host();
    await makeShop(world.blue, "shop");
    await readyPlan(world, "shop", ["shop"]);
    await migrate(world, "shop", "halt", { quiescePods: true });
    const halted = await openTab(browser, server.address("/operations/migmigration/velero/halt"));
    await cancelOn(halted.page, "an application that was stopped on the source is started there again");
    expect((await stepStates(halted.page)).filter((state) => state === "failed")).toEqual([]);
    halted.clean();
    await ended(world, "halt");
    // It runs on the source, as before.
    expect((await shopFile(world.blue, "shop", "done")).trim()).toBe("yes");
    const { shown, steps } = await watch(
      server,
      "velero",
      { kind: "migmigration", name: "move", title: "Migration move" },
      () => migrate(world, "shop", "move", { quiescePods: true }),
    );
    expectClimb(shown);
    expect(steps).toHaveLength(6);
    expect(new Set(steps)).toEqual(new Set(["completed"]));
  } finally {
    await server.close();
    await world.close();
  }
});
