import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Backup, MigMigration } from "../../src/api/index.ts";
import { openTab, shownBar, violations } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { ago, paradeBackup, writeActions, writeMigration } from "../harness/page-parade.ts";
import { browserTest, pageSuite } from "../harness/page-suite.ts";

const suite = pageSuite();
const steps = (page: Page) => page.locator(".pf-v6-c-progress-stepper__step").allInnerTexts();

browserTest(
  "a failed migration shows scenario 2 of the design: where it failed, what was skipped and why",
  async () => {
    const { page, clean } = await openTab(
      suite.browser,
      suite.world.addressOf("MigMigration", "blog-to-cloud"),
    );
    await page.getByText("Migration blog-to-cloud failed: Back up volumes").waitFor();
    const row = (await steps(page)).map((text) => text.split("\n").filter(Boolean).slice(0, 2).join(": "));
    expect(row).toEqual([
      "Prepare: Completed",
      "Back up resources: Completed",
      "Back up volumes: Failed",
      "Restore volumes: Skipped",
      "Restore resources: Skipped",
      "Finish: Completed",
    ]);
    expect(await page.getByText("after the failure").count()).toBe(2);
    expect(await page.getByText("repository is locked").first().isVisible()).toBe(true);
    expect(await page.getByRole("button", { name: "Cancel", exact: true }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    clean();
  },
);

browserTest("a migration under way shows both clusters side by side, its phases, and moves", async () => {
  const { page, clean } = await openTab(
    suite.browser,
    suite.world.addressOf("MigMigration", "shop-to-cloud"),
    {
      colorScheme: "dark",
    },
  );
  await page.getByRole("region", { name: "Cluster source" }).waitFor();
  expect(await page.getByRole("region", { name: "Cluster destination" }).innerText()).toContain(
    "PodVolumeRestore",
  );
  await page.getByText("EnsureStagePodsFromRunning").waitFor();
  for (const share of [0.5, 0.7, 0.9]) await writeMigration(suite.world, "shop-to-cloud", share);
  const shown = await eventually(
    () => shownBar(page, "PodVolumeBackup mysql-data (source)"),
    (all) => all.at(-1) === 90,
  );
  expect(shown).toEqual(shown.toSorted((a, b) => a - b));
  expect(await violations(page)).toEqual([]);
  clean();
});

browserTest(
  "an action is a row of its phases, and a screen reader hears of steps, not of ticks",
  async () => {
    const { page, clean } = await openTab(suite.browser, suite.world.addressOf("ActionSet", "mysql-dump"));
    await page.getByRole("button", { name: "Dump" }).waitFor();
    const live = page.locator("[aria-live=polite].hw-unseen");
    await writeActions(suite.world, "mysql-dump", "running", "61.00");
    await eventually(
      () => shownBar(page, "dump"),
      (all) => all.at(-1) === 61,
    );
    expect(await live.innerText()).toBe("");
    await writeActions(suite.world, "mysql-dump", "complete", "100.00");
    await eventually(
      () => live.innerText(),
      (text) => text.includes("Dump: Completed"),
    );
    await page.locator("[data-state=completed]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    clean();
  },
);

browserTest("a stall appears in plain words with advice, and goes when the work moves again", async () => {
  const name = "stuck";
  const meta = { labels: { "velero.io/backup-name": name } };
  await suite.world.create("Backup", name);
  await suite.world.write("Backup", name, {
    phase: "InProgress",
    startTimestamp: ago(90),
    progress: { itemsBackedUp: 5, totalItems: 5 },
  });
  const pod = { kind: "Pod", namespace: "shop", name: "db-0" };
  const spec = { node: "node-1", pod, volume: "data", backupStorageLocation: "default", repoIdentifier: "r" };
  await suite.world.create("PodVolumeBackup", "stuck-data", spec, meta);
  await suite.world.write("PodVolumeBackup", "stuck-data", { phase: "InProgress", startTimestamp: ago(80) });
  const { page, clean } = await openTab(suite.browser, suite.world.addressOf("Backup", name));
  await page.getByText("no node agent runs on the node").first().waitFor();
  await page.getByText("Start the node agent on that node").waitFor();
  await page.locator("[data-state=stalled]").first().waitFor();
  expect(await violations(page)).toEqual([]);
  await suite.world.write("PodVolumeBackup", "stuck-data", {
    progress: { bytesDone: 1_000, totalBytes: 4_000 },
  });
  await page.getByText("no node agent runs on the node").first().waitFor({ state: "detached" });
  await page.locator("h1 + [data-state=running]").waitFor();
  clean();
});

browserTest("cancel says what will happen, asks, and then tells the engine", async () => {
  await paradeBackup(suite.world, "to-cancel", ["data"]);
  const { page, clean } = await openTab(suite.browser, suite.world.addressOf("Backup", "to-cancel"));
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("It cannot be taken up again").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(
    (await suite.world.read<Backup>("Backup", "to-cancel")).metadata.annotations?.["headway.dev/cancel"],
  ).toBeUndefined();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await dialog.getByRole("button", { name: "Cancel it" }).click();
  await page.getByRole("button", { name: "Canceling…" }).waitFor();
  expect(
    (await suite.world.read<Backup>("Backup", "to-cancel")).metadata.annotations?.["headway.dev/cancel"],
  ).toBe("true");
  await page.goto(suite.world.addressOf("MigMigration", "shop-to-cloud"));
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await dialog.getByRole("button", { name: "Cancel it" }).click();
  await eventually(
    () => suite.world.read<MigMigration>("MigMigration", "shop-to-cloud"),
    ({ spec }) => spec?.canceled === true,
  );
  clean();
});

browserTest("YAML and log stand beside the page; times are local, with UTC on hover", async () => {
  const { page, clean } = await openTab(suite.browser, suite.world.addressOf("Backup", "shop-sunday"), {
    timezoneId: "Asia/Tokyo",
  });
  await page.getByRole("button", { name: "YAML and log" }).click();
  await page.getByText("kind: Backup").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("tab", { name: "Log" }).click();
  await page.getByText("the log of shop-sunday").waitFor();
  expect(await violations(page)).toEqual([]);
  const time = page.locator("time").first();
  expect(await time.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  clean();
});

browserTest(
  "the stream is cut: the page says how old its numbers are, and goes on by itself when it is back",
  async () => {
    await paradeBackup(suite.world, "cut", ["data"]);
    const { page, clean } = await openTab(suite.browser, suite.world.addressOf("Backup", "cut"));
    await page.getByRole("heading", { level: 1, name: "cut" }).waitFor();
    await suite.world.server.cut();
    await page.getByText("The connection to the server is interrupted").waitFor();
    await page.getByText(/\ds old/).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.getByRole("dialog").getByText("the server cannot be reached").waitFor();
    await page.getByRole("button", { name: "Let it go on" }).click();
    const cut = await shownBar(page, "Backup cut");
    await suite.world.write("PodVolumeBackup", "cut-data", {
      progress: { totalBytes: 4e9, bytesDone: 3.9e9 },
    });
    await suite.world.server.serve();
    await page.getByText("The connection to the server is interrupted").waitFor({ state: "detached" });
    const shown = await eventually(
      () => shownBar(page, "Backup cut"),
      (all) => (all.at(-1) ?? 0) > (cut.at(-1) ?? 0),
    );
    expect(shown).toEqual(shown.toSorted((a, b) => a - b));
    clean();
  },
);

browserTest(
  "what went wrong in a backup is told in its own words, and its hooks by name, all 200 of them",
  async () => {
    const { world } = suite;
    const exec = { container: "tools", command: ["fsfreeze", "--freeze", "/var/lib/mysql"] };
    const resources = Array.from({ length: 200 }, (_, i) => ({
      name: `freeze-${i}`,
      includedNamespaces: ["blog"],
      pre: [{ exec }],
    }));
    await world.patch("Backup", "blog-sunday", { spec: { hooks: { resources } } });
    await world.write("Backup", "blog-sunday", {
      warnings: 1,
      hookStatus: { hooksAttempted: 3, hooksFailed: 1 },
    });
    const { page, clean } = await openTab(suite.browser, world.addressOf("Backup", "blog-sunday"));
    await page.getByText("volume data of blog-sunday: the disk is full").waitFor();
    await page.getByText("a hook took long").waitFor();
    await page.getByText("3 hooks run, 1 failed").waitFor();
    const hooks = page.locator(".hw-hooks li");
    expect(await hooks.count()).toBe(5);
    expect(await hooks.first().innerText()).toMatch(
      /freeze-0 before the pod is stored\s+all pods in blog, tools\s+fsfreeze --freeze \/var\/lib\/mysql/,
    );
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Show 195 more" }).click();
    await page.getByText("freeze-199").waitFor();
    expect(await hooks.count()).toBe(200);
    clean();
  },
);

browserTest("axe finds nothing wrong with what ended, what waits, and what is not there", async () => {
  const { world } = suite;
  const { page, clean } = await openTab(suite.browser, world.addressOf("Restore", "shop-drill"));
  const views = [
    [world.addressOf("Restore", "shop-drill"), "shop-drill"],
    [world.addressOf("Backup", "payroll-weekly"), "payroll-weekly"],
    [world.addressOf("Backup", "never"), /^There is no backup/],
    [world.server.address("/nowhere"), /./],
  ] as const;
  for (const [address, name] of views) {
    await page.goto(address);
    await page.getByRole("heading", { level: 1, name }).waitFor();
    expect(await violations(page)).toEqual([]);
  }
  await world.create("Backup", "short-lived");
  await page.goto(world.addressOf("Backup", "short-lived"));
  await page.getByRole("heading", { level: 1, name: "short-lived" }).waitFor();
  await world.delete("Backup", "short-lived");
  await page.getByRole("heading", { level: 1, name: /^The backup .* was deleted$/ }).waitFor();
  clean();
});
