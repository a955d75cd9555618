/** A Kubernetes label selector, as custom resources carry it. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null | undefined;
  readonly matchExpressions?: readonly LabelExpression[] | null | undefined;
}

/** One requirement of a label selector. */
export interface LabelExpression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null | undefined;
}

/** Whether labels satisfy a selector; an empty selector selects everything, as in Kubernetes. */
export function selects(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  const equal = Object.entries(selector.matchLabels ?? {}).every(
    ([key, value]) => own(labels, key) === value,
  );
  return equal && (selector.matchExpressions ?? []).every((expression) => holds(expression, labels));
}

/** The selector as a query string for the API server, which evaluates it itself. */
export function selectorQuery(selector: LabelSelector): string {
  return [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(selector.matchExpressions ?? []).map(expressionQuery),
  ].join(",");
}

/** Why a selector cannot be used, or undefined when it can. */
export function selectorFault(selector: LabelSelector): string | undefined {
  for (const { key, operator, values } of selector.matchExpressions ?? []) {
    const count = values?.length ?? 0;
    if (operator === "In" || operator === "NotIn") {
      if (count === 0) return `"${key}" ${operator} needs at least one value`;
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (count > 0) return `"${key}" ${operator} takes no values`;
    } else return `"${operator}" is not a selector operator`;
  }
  return undefined;
}

function holds(
  { key, operator, values }: LabelExpression,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = own(labels, key);
  switch (operator) {
    case "In":
      return value !== undefined && (values ?? []).includes(value);
    case "NotIn":
      return value === undefined || !(values ?? []).includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

function expressionQuery({ key, operator, values }: LabelExpression): string {
  switch (operator) {
    case "In":
      return `${key} in (${(values ?? []).join(",")})`;
    case "NotIn":
      return `${key} notin (${(values ?? []).join(",")})`;
    case "DoesNotExist":
      return `!${key}`;
    default:
      return key;
  }
}

function own(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
