// Migrations: clusters, storages, hooks, plans and runs; itineraries, steps, and how far each phase is.
// Backing up and restoring do not live here: this room drives them through their custom resources, whoever serves them.
export { type ItineraryName, itineraries, type PhaseName, stepsOf } from "./itinerary.ts";
export { settingNames } from "./names.ts";
export type { MigrationDeps } from "./run.ts";
export { startMigrationControllers } from "./start.ts";
