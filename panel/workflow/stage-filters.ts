/** A filter of a list, as the query of the panel has it. */
export type ListFilter = Readonly<Record<string, unknown>>;

/** Returns the filter for entries in a stage. In the first one are also those in unknown stages. The panel reads filters of five levels. */
function filterOf(stage: string, stages: readonly string[]): ListFilter {
  const others = stages.filter((name) => name !== stage);
  return { stage: stage === stages[0] && others.length > 0 ? { $notIn: others } : { $eq: stage } };
}

const isStageFilter = (filter: ListFilter): boolean => 'stage' in filter;

/** Returns the filters of a list with that for a stage; without one if the stage is empty. */
export const withStage = (filters: readonly ListFilter[], stage: string, stages: readonly string[]): readonly ListFilter[] => [
  ...filters.filter((filter) => !isStageFilter(filter)),
  ...(stage === '' ? [] : [filterOf(stage, stages)]),
];

/** Returns the stage that filters name; an empty text if they name none. */
export function stageIn(filters: readonly ListFilter[], stages: readonly string[]): string {
  const found = filters.find(isStageFilter);
  if (found === undefined) return '';
  const { $eq } = found['stage'] as { readonly $eq?: string };
  return $eq ?? stages[0] ?? '';
}
