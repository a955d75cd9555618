// Takes the pictures of docs/pictures from the real page in Chromium, on the embedded cluster. Run it after a change of the page:
// `npm run page && node scripts/screenshots.ts`. With a folder it takes every page there instead, wide and narrow, light and dark, to look at.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { builtIn } from "../src/kube/index.ts";
import { openBrowser } from "../test/harness/browser.ts";
import { moveVolume, parade } from "../test/harness/page-parade.ts";
import { PageWorld } from "../test/harness/page-world.ts";

type Picture = readonly [name: string, address: string, width: number, height: number, "light" | "dark"];

const review = process.argv[2];
const folder = review ?? join(import.meta.dirname, "../docs/pictures");
mkdirSync(folder, { recursive: true });
const gib = 1024 ** 3;
const [world, browser] = await Promise.all([PageWorld.open("velero"), openBrowser()]);
for (const name of ["shop", "blog", "payroll"]) {
  await world.cluster.client.create(builtIn.namespaces, {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  });
}
await world.create("BackupStorageLocation", "offsite", {
  provider: "aws",
  objectStorage: { bucket: "backups" },
  default: true,
});
for (const [name, schedule, namespace] of [
  ["shop-nightly", "0 2 * * *", "shop"],
  ["blog-every-six-hours", "0 */6 * * *", "blog"],
] as const) {
  await world.create("Schedule", name, { schedule, template: { includedNamespaces: [namespace] } });
  await world.write("Schedule", name, { phase: "Enabled" });
}
await parade(world);
let beats = 0;
const mover = setInterval(() => {
  beats += 1;
  const share = (from: number) => Math.min(0.9, from + beats * 0.008);
  void moveVolume(world, "shop-nightly-database", 4 * gib, share(0.62));
  void moveVolume(world, "shop-nightly-uploads", 8 * gib, share(0.3));
  void moveVolume(world, "shop-nightly-search", 12 * gib, share(0.05));
}, 1_000);
// Until there are rates, estimates and curves to see.
const seen = await browser.newPage();
await seen.goto(world.addressOf("Backup", "shop-nightly"));
await seen.locator(".hw-hero__news", { hasText: " left" }).waitFor({ timeout: 120_000 });
await seen.close();
const addresses = {
  overview: world.server.address("/"),
  schedules: world.server.address("/schedules"),
  operations: world.server.address(),
  backup: world.addressOf("Backup", "shop-nightly"),
  action: world.addressOf("ActionSet", "mysql-dump"),
  migration: world.addressOf("MigMigration", "shop-to-cloud"),
  "migration-failed": world.addressOf("MigMigration", "blog-to-cloud"),
  partly: world.addressOf("Backup", "blog-sunday"),
  restored: world.addressOf("Restore", "shop-drill"),
  queued: world.addressOf("Backup", "payroll-weekly"),
  missing: world.addressOf("Backup", "no-such"),
  filtered: world.server.address("/operations?q=nothing"),
  unknown: world.server.address("/nowhere"),
  "sign-in": `${world.server.url}/`,
  "start-backup": world.server.address("/create/backup"),
  "start-restore": world.server.address("/create/restore"),
  "start-action": world.server.address("/create/action"),
  "start-migration": world.server.address("/create/migration"),
};
const pictures: readonly Picture[] = [
  ["overview", addresses.overview, 1280, 1180, "light"],
  ["operations", addresses.operations, 1280, 860, "light"],
  ["backup", addresses.backup, 1280, 960, "light"],
  ["migration-dark", addresses.migration, 1280, 760, "dark"],
  ["migration-failed", addresses["migration-failed"], 1280, 760, "light"],
  ["start-backup", addresses["start-backup"], 1280, 720, "light"],
  ["narrow", addresses.operations, 400, 800, "dark"],
];
const looks = Object.entries(addresses).flatMap(([name, address]): Picture[] => [
  [`${name}-wide-light`, address, 1280, 1100, "light"],
  [`${name}-wide-dark`, address, 1280, 1100, "dark"],
  [`${name}-narrow-light`, address, 390, 1400, "light"],
  [`${name}-narrow-dark`, address, 390, 1400, "dark"],
]);
for (const [name, address, width, height, colorScheme] of review === undefined ? pictures : looks) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await new Promise((resolve) => setTimeout(resolve, review === undefined ? 3_000 : 1_200));
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await context.close();
}
clearInterval(mover);
await browser.close();
await world.close();
