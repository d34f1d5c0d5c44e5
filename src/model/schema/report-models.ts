import type { RegistryBuild } from './build-registry.js';
import type { ModelWarning } from './model.js';
import { appendTo } from '#base/values.js';

/** The state of one model, and its effect on other models. */
export interface ModelReport {
  readonly uid: string;
  /** `moving`: it is in force, and a rename is under way. `missing`: other models name it, and it does not exist. */
  readonly state: 'active' | 'moving' | 'refused' | 'missing';
  /** The reasons why it is not in force as it is stored. */
  readonly problems: readonly string[];
  readonly warnings: readonly ModelWarning[];
  /** Attributes that other models lack because of it, `<uid>.<attribute>`. */
  readonly affects: readonly string[];
}

/**
 * Returns a report for each model that is in force, refused or missing: first those that affect other models, then others with
 * problems or warnings, then the rest.
 */
export function reportModels(
  { models, problems, warnings }: Pick<RegistryBuild, 'models' | 'problems' | 'warnings'>,
  moving: ReadonlySet<string> = new Set(),
): readonly ModelReport[] {
  const affected = affectedBy(warnings);
  const uids = new Set([...models.keys(), ...problems.keys(), ...affected.keys()]);
  const reports = [...uids].map((uid): ModelReport => {
    const problemsOfType = problems.get(uid) ?? [];
    return {
      uid,
      state: problems.has(uid) ? 'refused' : moving.has(uid) ? 'moving' : models.has(uid) ? 'active' : 'missing',
      problems: problemsOfType,
      warnings: warnings.get(uid) ?? [],
      affects: affected.get(uid) ?? [],
    };
  });
  return reports.sort((a, b) => weight(b) - weight(a) || (a.uid < b.uid ? -1 : 1));
}

function affectedBy(warnings: RegistryBuild['warnings']): ReadonlyMap<string, readonly string[]> {
  const affected = new Map<string, string[]>();
  for (const [uid, found] of warnings)
    for (const { attribute, needs } of found)
      if (needs !== null) appendTo(affected, needs, attribute === null ? uid : `${uid}.${attribute}`);
  return affected;
}

const weight = ({ state, warnings, affects }: ModelReport): number =>
  affects.length * 10 + (state === 'active' || state === 'moving' ? 0 : 4) + (warnings.length > 0 ? 1 : 0);

export const warningText = ({ attribute, text }: ModelWarning): string => (attribute === null ? text : `${attribute}: ${text}`);

/** Returns a report as one line for a log or terminal; null if there is nothing to say, or the report of the cause says it. */
export function describeReport({ uid, state, problems, warnings, affects }: ModelReport): string | null {
  const consequence = affects.length === 0 ? '' : `; left out because of it: ${affects.join(', ')}`;
  if (state === 'refused') return `model ${uid} is not in force: ${problems.join('; ')}${consequence}`;
  if (state === 'missing') return `there is no model ${uid}${consequence}`;
  const own = warnings.filter(({ needs }) => needs === null).map(warningText);
  return own.length === 0 ? null : `model ${uid} is served differently from what is written: ${own.join('; ')}`;
}
