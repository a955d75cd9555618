// The operator: wires controllers to engines and runs them until told to stop.
// What a controller decides and does lives in its engine.
export { planFor, planner } from "./plan-for.ts";
export { controllerNames, type OperatorOptions, startOperator } from "./start.ts";
