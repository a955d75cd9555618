import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Client } from "../../src/kube/index.ts";
import { ActionStage, task } from "../harness/action-stage.ts";
import { BackupStage } from "../harness/backup-stage.ts";
import { noBrowser, openBrowser, openTab, shownBar } from "../harness/browser.ts";
import { installDefinitions } from "../harness/definitions.ts";
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

/** Opens the page of an operation that is not there yet, starts it, and follows it to its end. */
async function watch(
  client: Client,
  namespace: string,
  { kind, name, title }: Watched,
  start: () => Promise<unknown>,
) {
  const server = await PageServer.open(client, namespace);
  try {
    const tab = await openTab(browser, server.address(`/operations/${kind}/${namespace}/${name}`));
    await tab.page.getByText("then it appears here by itself").waitFor();
    await start();
    await tab.page.locator("h1 + [data-state=completed]").waitFor({ timeout: 200_000 });
    const shown = await shownBar(tab.page, title);
    const steps = await stepStates(tab.page);
    await tab.page.context().close();
    tab.clean();
    return { shown, steps };
  } finally {
    await server.close();
  }
}

function expectClimb(shown: readonly number[]): void {
  expect(shown.some((percent) => percent > 0 && percent < 100)).toBe(true);
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(shown.at(-1)).toBe(100);
}

suite("a real backup and its restore climb to 100 on the page and never fall", {
  timeout: 300_000,
}, async () => {
  const stage = await BackupStage.open();
  try {
    await installDefinitions(stage.client);
    const app = await stage.app("live");
    // So many that a fast machine, too, is seen on its way.
    await stage.configMaps(app, 24_000);
    stage.operator();
    const { client, namespace } = stage;
    const backup = await watch(
      client,
      namespace,
      { kind: "backup", name: "live", title: "Backup live" },
      () => stage.create("live", { includedNamespaces: [app] }),
    );
    expectClimb(backup.shown);
    expect(new Set(backup.steps)).toEqual(new Set(["completed"]));
    const restore = {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name: "live", namespace },
      spec: { backupName: "live", namespaceMapping: { [app]: `${app}-copy` } },
    };
    const resource = {
      group: "velero.io",
      version: "v1",
      plural: "restores",
      kind: "Restore",
      namespaced: true,
    };
    const restored = await watch(
      client,
      namespace,
      { kind: "restore", name: "live", title: "Restore live" },
      () => client.create(resource, restore),
    );
    expectClimb(restored.shown);
  } finally {
    await stage.close();
  }
});

suite("a real action climbs through its phases", { timeout: 300_000 }, async () => {
  const stage = await ActionStage.open();
  try {
    stage.operator();
    const { client, namespace } = stage;
    const action = {
      phases: [task("first", "sleep 1"), task("second", "sleep 1"), task("third", "sleep 1")],
    };
    const { shown, steps } = await watch(
      client,
      namespace,
      { kind: "actionset", name: "live", title: "ActionSet live" },
      () => stage.run("live", action),
    );
    expectClimb(shown);
    expect(steps).toEqual(["completed", "completed", "completed"]);
  } finally {
    await stage.close();
  }
});

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

suite("a real action is canceled from the page, and what was said happens", {
  timeout: 300_000,
}, async () => {
  const stage = await ActionStage.open();
  const { client, namespace } = stage;
  const server = await PageServer.open(client, namespace);
  try {
    stage.operator();
    await stage.run("long", {
      phases: [task("first", "true"), task("second", "sleep 600"), task("third", "true")],
    });
    const { page, clean } = await openTab(browser, server.address(`/operations/actionset/${namespace}/long`));
    await page.locator("[data-step-state=running]", { hasText: "Second" }).waitFor({ timeout: 120_000 });
    await cancelOn(page, "The phase that runs is cut off and its pods are deleted; later phases are skipped");
    expect(await stepStates(page)).toEqual(["completed", "canceled", "skipped"]);
    expect(await stage.status("long")).toMatchObject({
      state: "failed",
      error: { message: "canceled by request" },
    });
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
    await halted.page.context().close();
    await ended(world, "halt");
    // It runs on the source, as before.
    expect((await shopFile(world.blue, "shop", "done")).trim()).toBe("yes");
    const { shown, steps } = await watch(
      world.green.client,
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
