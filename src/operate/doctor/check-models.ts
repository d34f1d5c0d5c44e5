import { describeReport, reportModels } from '#model/schema/report-models.js';
import type { ModelState } from '#store/models/model-states.js';
import type { DatabaseFacts } from './context.js';
import { advice, type CheckResult, nameSome, problem } from '#base/finding.js';

/** Finds models that are not in force as they are stored, by their documents and by what instances report. */
export function checkModels({ build, states }: DatabaseFacts): CheckResult {
  const refused = reportModels(build).filter(({ state }) => state !== 'active');
  const known = new Set(refused.map(({ uid }) => uid));
  const others = states.filter(({ uid, state }) => (state === 'refused' || state === 'missing') && !known.has(uid));
  return [
    ...refused.map((report) => problem(describeReport(report) ?? report.uid, 'correct the model; npx mangrove models validate')),
    ...byText(others, ({ uid, state, problems }) => `${uid} is ${String(state)}: ${(problems ?? []).join('; ')}`).map((text) =>
      problem(text, 'correct the model; the admin API (/admin/api/status) has the instances'),
    ),
    ...byText(states, searchText).map((text) => advice(text, 'wait until it is; searches scan all entries meanwhile')),
    ...byText(states, unfitText).map((text) => advice(text, 'correct the entries, or the rule of the model')),
  ];
}

/** Returns the different texts about the states of instances; null for those without one. */
const byText = (states: readonly ModelState[], textOf: (state: ModelState) => string | null): readonly string[] => [
  ...new Set(states.flatMap((state) => textOf(state) ?? [])),
];

function searchText({ uid, search }: ModelState): string | null {
  const unready = (search?.attributes ?? []).filter(({ state }) => state !== 'ready').map(({ attribute }) => attribute);
  return unready.length === 0 ? null : `the index of searches in ${nameSome(unready)} of ${uid} is not ready`;
}

function unfitText({ uid, requiredNulls = [], unfitValues = [] }: ModelState): string | null {
  const violations = [...requiredNulls, ...unfitValues];
  if (violations.length === 0) return null;
  const parts = violations.map(({ attribute, entries }) => `${attribute} (${String(entries)})`);
  return `entries of ${uid} do not fit the model: ${nameSome(parts)}`;
}

/** Finds indexes that do not exist, could not be built, or serve nobody. */
export function checkIndexes({ missingIndexes, states }: DatabaseFacts): CheckResult {
  const building = new Set(states.flatMap(({ indexesBuilding = [] }) => indexesBuilding.map(({ name }) => name)));
  const missing = missingIndexes.filter(({ name }) => !building.has(name));
  const named = (isUnique: boolean): readonly string[] =>
    missing.filter((index) => index.isUnique === isUnique).map(({ uid, name }) => `${name} of ${uid}`);
  const [unique, others] = [named(true), named(false)];
  const unused = byText(states, ({ uid, unusedIndexes = [] }) =>
    unusedIndexes.length === 0 ? null : `no read has used ${nameSome(unusedIndexes)} of ${uid} for a month`,
  );
  return [
    ...byText(states, ({ uid, indexProblems = [] }) =>
      indexProblems.length === 0 ? null : `${uid}: ${indexProblems.join('; ')}`,
    ).map((text) => problem(text, 'correct the entries, then restart an instance, which builds the index')),
    unique.length > 0
      ? problem(`unique indexes do not exist: ${nameSome(unique)}`, 'restart an instance, which builds them')
      : null,
    others.length > 0 ? advice(`indexes do not exist: ${nameSome(others)}`, 'restart an instance, which builds them') : null,
    building.size > 0 ? advice(`indexes are being built: ${nameSome([...building])}`, 'wait until they are') : null,
    ...unused.map((text) => advice(text, 'remove its option from the model if that is not needed')),
  ];
}

export const checkCollections = ({ leftCollections }: DatabaseFacts): CheckResult =>
  leftCollections.length === 0
    ? null
    : advice(
        `collections with entries of removed types are kept: ${nameSome(leftCollections)}`,
        'drop them in MongoDB if nobody needs the entries',
      );
