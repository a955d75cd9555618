import type { Page } from "playwright-core";
import { expect } from "vitest";
import { parse } from "yaml";
import { type KindName, type KubeObject, kinds } from "../../src/api/index.ts";
import { parse as parseCommand } from "../../src/cli/parse.ts";
import { root } from "../../src/cli/table.ts";
import { resourceOf } from "../../src/kube/index.ts";
import { openTab, violations } from "../harness/browser.ts";
import { eventually } from "../harness/eventually.ts";
import { browserTest, pageSuite } from "../harness/page-suite.ts";

const suite = pageSuite();

/** What a command line would create, without creating it. */
async function wouldCreate(command: string, ...more: readonly string[]): Promise<KubeObject> {
  const written: string[] = [];
  const io = {
    out: (text: string) => void written.push(text),
    err: () => undefined,
    env: {},
    terminal: undefined,
    color: false,
  };
  const [, ...words] = command.split(" ");
  const parsed = await parseCommand(
    root,
    [...words, `--kubeconfig=${suite.world.cluster.kubeconfig}`, ...more],
    io,
  );
  await parsed?.command.run?.(parsed.input, io, new AbortController().signal);
  return parse(written.join(""));
}

type Meaning = KubeObject & { readonly spec?: object };

/** Opens a form, fills it, and gives what it says it stands for, what the command makes, and what was created. */
async function submit(
  what: string,
  kind: KindName,
  fill: (page: Page) => Promise<unknown>,
  dry: readonly string[],
) {
  const { world, browser } = suite;
  const name = `form-${what}`;
  const { page, clean } = await openTab(browser, world.server.address(`/create/${what}`));
  await page.locator("#name").fill(name);
  await fill(page);
  const button = page.getByRole("main").getByRole("button", { name: "Start", exact: true });
  await button.and(page.locator(":enabled")).waitFor();
  const shown = await eventually(
    async (): Promise<Meaning> => parse(await page.getByLabel("YAML").innerText()),
    (object) => object?.metadata?.name === name,
  );
  const command = await page.getByLabel("Command").innerText();
  expect(await violations(page)).toEqual([]);
  const dryRun: Meaning = await wouldCreate(command, ...dry);
  await button.click();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  const created = await world.read<Meaning>(kind, name);
  expect(page.url()).toContain(`/operations/${kind.toLowerCase()}/${world.namespace}/${name}`);
  await page.context().close();
  clean();
  expect(shown).toMatchObject({ kind, metadata: { name, namespace: world.namespace } });
  expect(created.spec).toEqual(shown.spec);
  // The command may say more where it sets what the form leaves to the server; what the form says, it says, too.
  expect(dryRun).toMatchObject({ kind, metadata: { name, namespace: world.namespace }, spec: shown.spec });
  return created;
}

browserTest("each form creates the object that it shows, and its command makes the same", async () => {
  const { world } = suite;
  await world.create("BackupStorageLocation", "default", {
    provider: "filesystem",
    objectStorage: { bucket: "b" },
  });
  await world.cluster.client.create(resourceOf(kinds.Blueprint), {
    apiVersion: "cr.kanister.io/v1alpha1",
    kind: "Blueprint",
    metadata: { name: "mysql", namespace: world.namespace },
    actions: { backup: { phases: [] }, restore: { phases: [] } },
  });
  await world.create("MigPlan", "shop", {
    srcMigClusterRef: { name: "blue" },
    destMigClusterRef: { name: "green" },
    migStorageRef: { name: "shared" },
    namespaces: ["shop"],
  });
  const backup = await submit("backup", "Backup", () => Promise.resolve(), ["-o", "yaml"]);
  expect(backup.spec).toMatchObject({ storageLocation: "default", defaultVolumesToFsBackup: true });
  const restore = await submit(
    "restore",
    "Restore",
    async (page) => {
      await page.getByLabel("From backup").selectOption(`${world.namespace}/shop-sunday`);
      await page.getByLabel("Change objects that are there already").check();
    },
    ["-o", "yaml"],
  );
  expect(restore.spec).toEqual({ backupName: "shop-sunday", existingResourcePolicy: "update" });
  await submit(
    "action",
    "ActionSet",
    async (page) => {
      await page.getByLabel("Action", { exact: false }).last().waitFor();
      await page.locator("#action").selectOption("restore");
      await page.locator("#object-kind").selectOption("StatefulSet");
      await page.locator("#object-namespace").selectOption(world.namespace);
      await page.locator("#object-name").fill("db");
    },
    ["--dry-run"],
  );
  const migration = await submit(
    "migration",
    "MigMigration",
    (page) => page.getByLabel("Stage only").check(),
    ["-o", "yaml"],
  );
  expect(migration.spec).toMatchObject({ stage: true });
});

browserTest(
  "what the cluster refuses is told in its own words, and the form stays as it was filled",
  async () => {
    const { page, clean } = await openTab(suite.browser, suite.world.server.address("/create/restore"));
    await page.getByLabel("From backup").selectOption(`${suite.world.namespace}/shop-sunday`);
    await page.locator("#name").fill("shop-drill"); // there is one of this name
    await page.getByRole("main").getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("already exists").waitFor();
    expect(await page.locator("#name").inputValue()).toBe("shop-drill");
    expect(await violations(page)).toEqual([]);
    clean();
  },
);

browserTest(
  "the form of a restore shows its plan before it is started, and drops it when it changes",
  async () => {
    const { world, browser } = suite;
    const { page, clean } = await openTab(browser, world.server.address("/create/restore"));
    await page.getByLabel("From backup").selectOption(`${world.namespace}/shop-sunday`);
    await page.getByRole("button", { name: "Show the plan" }).click();
    const plan = page.getByRole("region", { name: "Plan" });
    await plan.getByText("1 item needs a look").waitFor();
    const text = await plan.innerText();
    expect(text).toContain("41 to be created");
    expect(text).toContain("configmaps shop/settings: it exists already and differs");
    expect(text).toContain("about 2m 00s (1m 00s to 5m 00s)");
    expect(text).toContain("secrets: you may not read them");
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Change objects that are there already").check();
    await page.getByRole("button", { name: "Show the plan again" }).waitFor();
    expect(await plan.count()).toBe(0);
    await page.context().close();
    clean();
  },
);
