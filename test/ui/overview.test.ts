import { expect } from "vitest";
import { type Backup, type DeleteBackupRequest, kinds, type Schedule } from "../../src/api/index.ts";
import { builtIn, resourceOf } from "../../src/kube/index.ts";
import { openTab, violations } from "../harness/browser.ts";
import { ago } from "../harness/page-parade.ts";
import { browserTest, pageSuite } from "../harness/page-suite.ts";
import type { PageWorld } from "../harness/page-world.ts";

const suite = pageSuite(people);

/** Namespaces in every state of protection, a schedule, and a location that is away. */
async function people(world: PageWorld): Promise<void> {
  for (const name of ["safe", "broken", "alone"])
    await world.cluster.client.create(builtIn.namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name },
    });
  const ended = async (name: string, namespace: string, phase: string, agoSeconds: number) => {
    await world.create("Backup", name, { includedNamespaces: [namespace], storageLocation: "cellar" });
    const times = { startTimestamp: ago(agoSeconds + 60), completionTimestamp: ago(agoSeconds) };
    await world.write("Backup", name, { phase, ...times });
  };
  await ended("safe-1", "safe", "Completed", 3_600);
  await ended("broken-1", "broken", "Completed", 7_200);
  await ended("broken-2", "broken", "Failed", 3_600);
  await world.create("Schedule", "safe-hourly", {
    schedule: "0 * * * *",
    template: { includedNamespaces: ["safe"] },
  });
  await world.write("Schedule", "safe-hourly", { phase: "Enabled" });
  await world.create("BackupStorageLocation", "cellar", {
    provider: "aws",
    objectStorage: { bucket: "cellar" },
  });
  await world.write("BackupStorageLocation", "cellar", { phase: "Unavailable", message: "no such bucket" });
}

const open = async (width: number) => {
  const tab = await openTab(suite.browser, suite.world.server.address("/"), {
    viewport: { width, height: 900 },
  });
  await tab.page.getByRole("table", { name: "Namespaces" }).waitFor();
  return tab;
};

browserTest(
  "the page opens on whether everything is protected, the worst first, and axe finds nothing",
  async () => {
    for (const width of [1360, 390, 2560]) {
      const { page, clean } = await open(width);
      await page
        .getByRole("heading", { level: 1, name: /Of \d+ namespaces: .*without a good backup/ })
        .waitFor();
      const row = (name: string) => page.locator("tr", { has: page.locator(`th:text-is("${name}")`) });
      await row("alone").getByText("Not protected").waitFor();
      await row("broken").getByText("Last backup failed").waitFor();
      await row("broken").getByText("broken-2").waitFor();
      await row("safe").getByText("safe-hourly").waitFor();
      const states = await page
        .locator("[data-protection]")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-protection")));
      const rank = ["unprotected", "failing", "late", "protected"];
      const ranks = states.map((state) => rank.indexOf(state ?? ""));
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      await page.getByText("The storage location cellar is unavailable: no such bucket").waitFor();
      await page.getByRole("img", { name: /^safe-hourly: next at/ }).waitFor();
      expect(await page.locator(".hw-day__runs rect").count()).toBeGreaterThanOrEqual(23);
      expect(await violations(page)).toEqual([]);
      const over = Number(await page.evaluate("document.documentElement.scrollWidth - innerWidth"));
      expect(over).toBeLessThanOrEqual(0);
      clean();
    }
  },
);

browserTest(
  "from the board it is one click to a backup of a namespace, and from a good backup one to its restore",
  async () => {
    const { page, clean } = await open(1360);
    await page.getByRole("button", { name: "Back up alone" }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByText("--include-namespaces=alone").first().waitFor();
    await page.goBack();
    await page.getByRole("link", { name: /^safe-1, / }).click();
    await page.getByRole("heading", { level: 1, name: "safe-1" }).waitFor();
    expect(await page.title()).toBe("completed: safe-1 · Headway");
    await page.getByRole("link", { name: "Restore", exact: true }).click();
    await page.getByText("--from-backup=safe-1").first().waitFor();
    clean();
  },
);

browserTest("what runs and what failed stands on the overview, and leads to the list", async () => {
  const { page, clean } = await open(1360);
  const attention = page.getByRole("region", { name: "Needs attention" });
  await attention.getByRole("link", { name: "broken-2" }).waitFor();
  await page.getByRole("navigation", { name: "Places" }).getByText("Operations").click();
  await page.getByRole("heading", { level: 1, name: "Operations" }).waitFor();
  clean();
});

browserTest("a schedule is paused, resumed and run now from its page", async () => {
  const { world } = suite;
  const { page, clean } = await openTab(suite.browser, world.server.address("/schedules"));
  const row = page.locator("tr", { has: page.locator('th:text-is("safe-hourly")') });
  await row.getByText("Active").waitFor();
  expect((await row.locator("td").nth(1).innerText()).split(", ").length).toBe(5);
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Pause safe-hourly" }).click();
  await row.getByText("Paused").waitFor();
  expect((await world.read<Schedule>("Schedule", "safe-hourly")).spec?.paused).toBe(true);
  await page.getByRole("button", { name: "Resume safe-hourly" }).click();
  await row.getByText("Active").waitFor();
  await page.getByRole("button", { name: "Run now: safe-hourly" }).click();
  await page.getByRole("heading", { level: 1, name: /^safe-hourly-\d{14}$/ }).waitFor();
  const [, name = ""] = /\/(safe-hourly-\d{14})$/.exec(page.url()) ?? [];
  const made = await world.read<Backup>("Backup", name);
  expect(made.spec?.includedNamespaces).toEqual(["safe"]);
  clean();
});

browserTest("an ended backup is deleted after a question", async () => {
  const { world } = suite;
  const { page, clean } = await openTab(suite.browser, world.addressOf("Backup", "broken-1"));
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Delete it" }).click();
  await page.getByRole("button", { name: "Deleting…" }).waitFor();
  const requests = await world.cluster.client.list<DeleteBackupRequest>(
    resourceOf(kinds.DeleteBackupRequest),
    { namespace: world.namespace },
  );
  expect(requests.map(({ spec }) => spec?.backupName)).toEqual(["broken-1"]);
  clean();
});
