import { type FieldRules, isActionOn, type TypeRules } from '../types/shadow.js';

/** Controls what the schema contains of one content type or component. Disabled parts stay disabled in all later schemas. */
export interface TypeControl {
  disable(): TypeControl;
  disableQueries(): TypeControl;
  disableMutations(): TypeControl;
  /** An unknown action has no effect, and is logged as a warning when a schema is built. */
  disableAction(action: string): TypeControl;
  /** `*` means all actions. */
  disableActions(actions: readonly string[]): TypeControl;
  isEnabled(): boolean;
  isDisabled(): boolean;
  areQueriesEnabled(): boolean;
  areQueriesDisabled(): boolean;
  areMutationsEnabled(): boolean;
  areMutationsDisabled(): boolean;
  isActionEnabled(action: string): boolean;
  isActionDisabled(action: string): boolean;
  field(name: string): FieldControl;
}

/** Controls what the schema contains of one field. */
export interface FieldControl {
  disable(): FieldControl;
  disableOutput(): FieldControl;
  disableInput(): FieldControl;
  disableFilters(): FieldControl;
  isEnabled(): boolean;
  isDisabled(): boolean;
  hasInputEnabled(): boolean;
  hasOutputEnabled(): boolean;
  hasFiltersEnabled(): boolean;
  /** The method name has the spelling of Strapi v4. */
  hasFiltersEnabeld(): boolean;
}

/** Returns the control of a type. `rules` stores its state. */
export function controlType(rules: TypeRules): TypeControl {
  const control: TypeControl = {
    disable: () => change(() => (rules.enabled = false)),
    disableQueries: () => change(() => (rules.queries = false)),
    disableMutations: () => change(() => (rules.mutations = false)),
    disableAction: (action) => control.disableActions([action]),
    disableActions: (actions) =>
      change(() => {
        for (const action of actions) rules.disabledActions.add(action);
      }),
    isEnabled: () => rules.enabled,
    isDisabled: () => !rules.enabled,
    areQueriesEnabled: () => rules.queries,
    areQueriesDisabled: () => !rules.queries,
    areMutationsEnabled: () => rules.mutations,
    areMutationsDisabled: () => !rules.mutations,
    isActionEnabled: (action) => isActionOn(rules, action),
    isActionDisabled: (action) => !isActionOn(rules, action),
    field: (name) => controlField(fieldRules(rules, name)),
  };
  const change = (apply: () => unknown): TypeControl => {
    apply();
    return control;
  };
  return control;
}

function fieldRules({ fields }: TypeRules, name: string): FieldRules {
  const rules = fields.get(name) ?? { enabled: true, input: true, output: true, filters: true };
  fields.set(name, rules);
  return rules;
}

function controlField(rules: FieldRules): FieldControl {
  const switchOff = (...flags: readonly (keyof FieldRules)[]): FieldControl => {
    for (const flag of flags) rules[flag] = false;
    return control;
  };
  const control: FieldControl = {
    disable: () => switchOff('enabled', 'output', 'input', 'filters'),
    disableOutput: () => switchOff('output'),
    disableInput: () => switchOff('input'),
    disableFilters: () => switchOff('filters'),
    isEnabled: () => rules.enabled,
    isDisabled: () => !rules.enabled,
    hasInputEnabled: () => rules.input,
    hasOutputEnabled: () => rules.output,
    hasFiltersEnabled: () => rules.filters,
    hasFiltersEnabeld: () => rules.filters,
  };
  return control;
}
