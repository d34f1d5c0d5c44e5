import { html, type Html } from '#http/page-answer.js';
import { type Instance, type ModelState, modelStates } from '#store/models/model-states.js';
import type { Registry } from '#model/schema/content-type.js';
import type { ModelReport } from '#model/schema/report-models.js';
import type { PanelCall } from '../panel-route.js';
import { code, count, type Fact, facts, pageOf, pager, type StatusPage, time } from './status-page.js';

/** Each model with its state on every instance. */
export const modelPage: StatusPage = {
  name: 'models',
  title: 'Models',
  about: 'content types and components, and what is wrong with them',
  right: 'plugin::content-type-builder.read',
  render,
};

/** Maximum numbers of models of a page, of instances, and of states that are read. */
const most = { models: 25, instances: 100, states: 2_500 };

/** The uid under which the state of the GraphQL schema is stored. */
const graphql = 'graphql';

async function render({ request, running, content }: PanelCall): Promise<Html> {
  const { models } = running.backend;
  const reports = models.reports();
  const hasGraphql = running.config.plugins.graphql.enabled;
  const list = pageOf([...(hasGraphql ? [graphql] : []), ...reports.map(({ uid }) => uid)], request, most.models);
  const { database } = content.store;
  const [instances, states] = await Promise.all([
    modelStates.readInstances(database, most.instances),
    modelStates.read(database, list.items, most.states),
  ]);
  const inState = (wanted: ModelReport['state']): number => reports.filter(({ state }) => state === wanted).length;
  const inForce = count(inState('active') + inState('moving'), 'model');
  return html`<p>${inForce} in force, ${inState('refused')} refused, ${inState('missing')} missing.</p>
    ${states.length === most.states ? html`<p class="warnings">Only the first ${most.states} states are shown.</p>` : null}
    ${list.items.map((uid) => {
      const own = states.filter((state) => state.uid === uid);
      return renderModel(uid, { states: own, instances, registry: models.snapshot.registry });
    })}
    ${pager(list)}`;
}

interface ModelInput {
  readonly states: readonly ModelState[];
  readonly instances: readonly Instance[];
  readonly registry: Registry;
}

function renderModel(uid: string, { states, instances, registry }: ModelInput): Html {
  const type = registry.types.get(uid);
  const contents = [...new Set(states.map(contentOf))];
  const groups = contents.map((content) => states.filter((state) => contentOf(state) === content));
  const silent = instances.filter(({ name }) => states.every(({ instance }) => instance !== name));
  const isSame = new Set(states.map(({ state, revision }) => `${String(state)} ${String(revision)}`)).size <= 1;
  return html`<article>
    <header>
      <h2>${uid === graphql ? 'GraphQL schema' : (type?.displayName ?? uid)}</h2>
      <code class="soft">${type === undefined ? '' : `${kinds[type.kind]} ${uid}`}</code>
    </header>
    ${isSame ? null : html`<p class="warnings">The instances differ. After a change they agree within seconds.</p>`}
    ${groups.map((group) => renderGroup(uid, group))} ${facts([['No state on', silent.map(({ name }) => code(name))]])}
  </article>`;
}

const kinds = { collectionType: 'collection type', singleType: 'single type', component: 'component' } as const;

/** Returns the parts of a state that may be the same on several instances, as text. */
function contentOf({ state, revision, problems, warnings, affects, ...others }: ModelState): string {
  const { indexProblems, indexesBuilding, unusedIndexes, search, requiredNulls, unfitValues } = others;
  const ofData = [indexProblems, indexesBuilding, unusedIndexes, search, requiredNulls, unfitValues];
  return JSON.stringify([state, revision, problems, warnings, affects, ...ofData]);
}

/** Returns what instances that agree say about a model. */
function renderGroup(uid: string, group: readonly ModelState[]): Html | null {
  const [state] = group;
  if (state === undefined) return null;
  return facts([
    ['State', [stateText(uid, state)]],
    ['Revision', state.revision == null ? [] : [code(state.revision)]],
    ...remarks(state),
    ['On', group.map(({ instance, at }) => html`<code>${instance}</code> since ${time(at)}`)],
  ]);
}

function stateText(uid: string, { state, revision }: ModelState): Html {
  if (state === 'active') return html`In force`;
  if (state === 'moving') return html`In force; a rename is under way`;
  if (state === undefined) return html`Not reported yet`;
  if (uid === graphql) return html`<strong>The schema of these models cannot be built. The one before stays in use.</strong>`;
  if (state === 'missing') return html`<strong>Other models name it, and it does not exist.</strong>`;
  const before = revision == null ? 'There was none before.' : 'The one before stays in force.';
  return html`<strong>The stored model is refused. ${before}</strong>`;
}

/** Returns what is wrong or under way, in plain words. */
const remarks = (state: ModelState): readonly Fact[] => [
  ['Reasons', state.problems ?? []],
  ['Served differently', state.warnings ?? []],
  ['Left out because of it', state.affects ?? []],
  ['Indexes not built', state.indexProblems ?? []],
  ['Indexes being built', (state.indexesBuilding ?? []).map(({ name, done, total }) => `${name}${progressText(done, total)}`)],
  ['Unused for a month', state.unusedIndexes ?? []],
  ['Search', searchLines(state)],
  ['Required, but empty', (state.requiredNulls ?? []).map(inEntries)],
  ['Read as null', (state.unfitValues ?? []).map(inEntries)],
];

const inEntries = ({ attribute, entries }: { readonly attribute: string; readonly entries: number }): string =>
  `${attribute}, in ${entries === 1 ? '1 entry' : `${String(entries)} entries`}`;

const progressText = (done: number | undefined, total: number | undefined): string =>
  done === undefined || total === undefined ? '' : `, ${String(done)} of ${String(total)}`;

function searchLines({ search }: ModelState): readonly string[] {
  if (search == null) return [];
  const lines = search.attributes.map((one) => {
    const progress = one.state === 'building' ? progressText(one.entries, one.of) : '';
    return `${one.attribute}: ${one.state}${progress}`;
  });
  return search.scans === null ? lines : [...lines, `_q reads all entries: ${search.scans}`];
}
