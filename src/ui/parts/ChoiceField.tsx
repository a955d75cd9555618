import { FormGroup, FormSelect, FormSelectOption, HelperText, HelperTextItem } from "@patternfly/react-core";
import { useEffect } from "react";

interface ChoiceFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Value and words of each. */
  readonly options: readonly (readonly [string, string])[];
  /** What the empty choice says; without it one has to choose. */
  readonly none?: string;
  /** Why there is nothing to choose from. */
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  readonly onChange: (value: string) => void;
}

/** One of a list. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { id, label, value, options, none = "Choose one", error, isRequired = false, onChange } = props;
  const only = isRequired && value === "" && options.length === 1 ? options[0]?.[0] : undefined;
  useEffect(() => {
    // Where there is one to choose, it is chosen.
    if (only !== undefined) onChange(only);
  }, [only]);
  return (
    <FormGroup label={label} fieldId={id} isRequired={isRequired}>
      <FormSelect id={id} value={value} onChange={(_event, chosen) => onChange(chosen)}>
        <FormSelectOption value="" label={none} />
        {options.map(([each, words]) => (
          <FormSelectOption key={each} value={each} label={words} />
        ))}
      </FormSelect>
      {error !== undefined && (
        <HelperText>
          <HelperTextItem variant="warning">{error}</HelperTextItem>
        </HelperText>
      )}
    </FormGroup>
  );
}
