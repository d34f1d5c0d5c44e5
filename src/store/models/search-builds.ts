import { memoize } from '#base/caches.js';
import type { TrigramPlace } from '#model/query/plan.js';
import type { ContentType, Registry, ScalarAttribute } from '#model/schema/content-type.js';
import { scalarTypes, wordedAttributes } from '#model/schema/scalar-types.js';
import { forJob } from '../send/database.js';
import { placeKey } from '../send/index-state.js';
import { trigramAttributes } from '../form/layout.js';
import { textIndexName } from '../read/plan-indexes.js';
import { listIndexes } from './indexes.js';
import type { AttributeState } from './model-states.js';
import type { ModelWork } from './model-status.js';
import { type BuildProgress, buildTrigrams, dropBuild, readBuilds, restartOthers, sampleTrigrams } from './trigram-build.js';

/** Milliseconds between two samples of trigrams. */
const sampledFor = 3_600_000;

/** Builds the indexes and trigrams of searches for the models in force, after all other builds. */
export class SearchBuilds {
  readonly #input: ModelWork;
  #types: readonly ContentType[] = [];
  /** The builds that were needed last; null before those in the database were read. */
  #built: ReadonlySet<string> | null = null;
  #isClosed = false;

  constructor(input: ModelWork) {
    this.#input = input;
    const name = 'search samples';
    const own = forJob(input.database, name);
    input.jobs.start({
      name,
      every: sampledFor,
      failure: 'trigrams could not be sampled',
      run: async () => {
        for (const place of this.#types.flatMap(placesOf)) if (own.searches.isComplete(place)) await this.#sample(place, own);
      },
    });
  }

  /**
   * Makes writes store the trigrams that the types need. Called before the types are in force. Trigrams that are no longer needed
   * may become outdated from now on, so they are marked to be built again if a later model needs them.
   */
  async keep({ types }: Registry): Promise<void> {
    const searchedTypes = [...types.values()].filter((type) => type.collection !== '' && searchedAttributes(type).length > 0);
    const places = new Map(searchedTypes.flatMap(placesOf).map((place) => [placeKey(place), place]));
    if (this.#built === null || this.#types.flatMap(placesOf).some((place) => !places.has(placeKey(place))))
      await restartOthers([...places.values()], this.#input.database);
    this.#types = searchedTypes;
    const { searches } = this.#input.database;
    for (const { collection, aliases } of searchedTypes)
      for (const [from, to] of aliases ?? []) searches.rename(collection, from, to);
    const attributes = searchedTypes.map((type) => [type.collection, trigramAttributes(type)] as const);
    searches.keep(new Map(attributes.filter(([, names]) => names.length > 0)));
  }

  /** Stops the use of the full-text indexes of these types until they have been changed. */
  suspend(types: readonly ContentType[]): void {
    for (const { collection } of types) this.#input.database.searches.setWords(collection, false);
  }

  /** Builds the missing trigrams of these types, and drops those that no type needs. Called when the indexes are built. */
  async build(changed: readonly ContentType[]): Promise<void> {
    const { database, status } = this.#input;
    if (changed.length === 0) return;
    const built = changed.filter((type) => this.#types.includes(type));
    const keys = new Set(this.#types.flatMap((type) => placesOf(type).map(placeKey)));
    const isKnown = this.#built !== null && [...this.#built].every((id) => keys.has(id));
    if (built.length > 0 || !isKnown)
      for (const id of await readBuilds(database)) if (!keys.has(id)) await dropBuild(id, database);
    this.#built = keys;
    for (const { uid } of changed.filter((type) => !built.includes(type))) await status.set(uid, { search: null });
    for (const type of built) await this.#buildType(type);
  }

  /** Continues builds that a failure of the database has ended. */
  async resume(): Promise<void> {
    const { searches } = this.#input.database;
    await this.build(this.#types.filter((type) => !placesOf(type).every((place) => searches.isComplete(place))));
  }

  close(): void {
    this.#isClosed = true;
  }

  async #buildType(type: ContentType): Promise<void> {
    const { database } = this.#input;
    const words = wordedAttributes(type);
    if (words.length > 0) {
      const indexes = await listIndexes(database.db, type.collection);
      database.searches.setWords(
        type.collection,
        indexes.some(({ name }) => name === textIndexName(words)),
      );
    }
    await this.#report(type, null);
    for (const place of placesOf(type)) await this.#buildTrigrams(type, place);
  }

  async #buildTrigrams(type: ContentType, place: TrigramPlace): Promise<void> {
    const { database, status } = this.#input;
    const isWanted = (): boolean =>
      !this.#isClosed && this.#types.some((one) => placesOf(one).some((other) => placeKey(other) === placeKey(place)));
    let reported = 0;
    const report = async (progress: BuildProgress): Promise<void> => {
      if (Date.now() - reported < 1000) return;
      reported = Date.now();
      await this.#report(type, { ...place, ...progress });
    };
    if (!(await buildTrigrams(place, { database, isWanted, hasOthers: () => status.hasOthers(), report }))) return;
    await this.#sample(place);
    await this.#report(type, null);
  }

  async #sample(place: TrigramPlace, database = this.#input.database): Promise<void> {
    database.searches.setComplete(place, await sampleTrigrams(place, database));
  }

  async #report(type: ContentType, building: (TrigramPlace & BuildProgress) | null): Promise<void> {
    const { database, status } = this.#input;
    const stateOf = ({ name, search }: ScalarAttribute): AttributeState => {
      const shared = { attribute: name, search: search?.kind ?? 'trigram' };
      if (building?.attribute === name) return { ...shared, state: 'building', entries: building.entries, of: building.of };
      const isReady =
        search?.kind === 'language'
          ? database.searches.find({ collection: type.collection, text: '' }) !== null
          : database.searches.isComplete({ collection: type.collection, attribute: name });
      return { ...shared, state: isReady ? 'ready' : 'waiting' };
    };
    await status.set(type.uid, { search: { attributes: searchedAttributes(type).map(stateOf), scans: whyScanned(type) } });
  }
}

const scalarsOf = ({ attributes }: ContentType): readonly ScalarAttribute[] =>
  [...attributes.values()].filter((attribute) => attribute.kind === 'scalar');

/**
 * Returns the attributes of a type with the option `search`. Cached, because every change of a model asks for all types, and few
 * have any.
 */
const searchedAttributes = memoize((type: ContentType) => scalarsOf(type).filter(({ search }) => search !== null));

const placesOf = (type: ContentType): readonly TrigramPlace[] =>
  trigramAttributes(type).map((attribute) => ({ collection: type.collection, attribute }));

/**
 * Returns the reason why `_q` scans all entries; null if it does not. It uses trigrams only if all attributes that it searches in
 * have them. Ids and numbers have none. Locales need none, because their codes are known.
 */
function whyScanned(type: ContentType): string | null {
  if (wordedAttributes(type).length > 0 || trigramAttributes(type).length === 0) return null;
  const searched = scalarsOf(type)
    .filter(({ searchable, private: isPrivate }) => searchable && !isPrivate)
    .filter(({ added }) => added !== 'locale');
  const found = (by: 'text' | 'number'): readonly ScalarAttribute[] =>
    searched.filter((one) => scalarTypes[one.type].search === by);
  const lacking = found('text').flatMap(({ name, search }) => (search?.kind === 'trigram' ? [] : [name]));
  if (lacking.length > 0)
    return `_q scans all entries: no trigrams of ${lacking.join(', ')} ("search": "trigram" or "searchable": false)`;
  const numbers = ['id', ...found('number').map(({ name }) => name)];
  return `_q scans all entries if it is a number: no index finds parts of ${numbers.join(', ')}`;
}
