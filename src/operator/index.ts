// The operator: wires controllers to engines and runs them until told to stop.
// What a controller decides and does lives in its engine.
export type { OperatorDeps, Registration } from "./deps.ts";
export { controllerNames, type OperatorOptions, startOperator } from "./start.ts";
