// Application actions: Blueprints and ActionSets as Kanister has them, their functions, and how far each phase is.
// Rendering templates, running movers outside of pods and showing progress to people do not live here.
export { blueprintProblems, type Problem, pathText } from "./blueprint-check.ts";
export { startActionSetController } from "./controller.ts";
export type { ActionSetDeps } from "./deps.ts";
export { signatures } from "./functions/arguments.ts";
export { profileStore as openProfileStore } from "./functions/data/repository.ts";
export { actionOptions } from "./options.ts";
export { locationTypes, moverAnnotation, profileFaults, readProfile } from "./profile.ts";
export { resourceOfReference } from "./resolve.ts";
export { review as reviewAdmission } from "./review.ts";
export { actionSetFaults } from "./validate.ts";
