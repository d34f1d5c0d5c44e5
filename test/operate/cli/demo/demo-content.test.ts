import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { imageSize } from 'image-size';
import { targetsOf, type AttributeDefinition, type Model } from '#model/schema/model.js';
import { findProblems } from './find-problems.js';
import { demoFolder, readDemo, type DemoEntry, type DemoFile } from './read-demo.js';

const { models, files, pictures } = readDemo();
const isLocalized = (item: Model | AttributeDefinition) => item.pluginOptions?.['i18n']?.localized === true;
const allEntries = files.flatMap(({ entries }) => entries);

/** Returns the model of a file. Throws for an unknown type, which ends the run. */
function modelOf(file: DemoFile): Model {
  const model = models.get(file.type);
  if (!model) throw new Error(`${file.name}: no model ${file.type}`);
  return model;
}

/** The data that the loader writes: a translation has the shared attributes of its source. */
function completeData(file: DemoFile, entry: DemoEntry): DemoEntry['data'] {
  const source = file.entries.find(({ key }) => key === entry.localizationOf);
  const ofSource = Object.entries(source?.data ?? {}).filter(([name]) => isShared(modelOf(file).attributes[name]));
  return { ...Object.fromEntries(ofSource), ...entry.data };
}

const isShared = (attribute: AttributeDefinition | undefined) =>
  attribute !== undefined && attribute.type !== 'relation' && attribute.type !== 'uid' && !isLocalized(attribute);

/** `name.key` of every entry that is loaded before `entry`, and `file.name` of every picture, with their types. */
function knownBefore(file: DemoFile, entry: DemoEntry): Map<string, string> {
  const earlier = [
    ...files.slice(0, files.indexOf(file)),
    { ...file, entries: file.entries.slice(0, file.entries.indexOf(entry)) },
  ];
  return new Map([
    ...pictures.map(({ name }) => [`file.${name}`, 'plugin::upload.file'] as const),
    ...earlier.flatMap((one) =>
      one.entries.map(({ key }) => [`${modelOf(one).info.singularName ?? ''}.${key}`, one.type] as const),
    ),
  ]);
}

describe('demo models', () => {
  for (const model of models.values()) {
    it(`${model.uid}: relations and components have their other side`, () => {
      const broken = Object.entries(model.attributes).filter(([name, attribute]) => !isConnected(model, name, attribute));
      expect(broken).to.deep.equal([]);
    });

    if (isLocalized(model)) {
      it(`${model.uid}: every attribute says whether it differs per locale`, () => {
        const silent = Object.entries(model.attributes).filter(
          ([, attribute]) => attribute.pluginOptions?.['i18n'] === undefined,
        );
        expect(silent.map(([name]) => name)).to.deep.equal([]);
      });
    }
  }

  it('have unique names', () => {
    const names = [...models.values()]
      .flatMap(({ info }) => [info.singularName, info.pluralName])
      .filter((name) => name !== undefined);
    const collections = [...models.values()].map(({ collectionName }) => collectionName);
    expect(names).to.deep.equal([...new Set(names)]);
    expect(collections).to.deep.equal([...new Set(collections)]);
  });
});

function isConnected(model: Model, name: string, attribute: AttributeDefinition): boolean {
  if (attribute.type === 'component') return models.has(attribute.component ?? '');
  if (attribute.type === 'dynamiczone') return attribute.components?.every((uid) => models.has(uid)) === true;
  if (attribute.type !== 'relation') return true;
  const target = models.get(targetsOf(attribute)[0] ?? '');
  const otherName = attribute.inversedBy ?? attribute.mappedBy;
  const other = target?.attributes[otherName ?? ''];
  const agreed = attribute.inversedBy ? other?.mappedBy === name : other?.inversedBy === name;
  return target !== undefined && (!otherName || (agreed && other?.target === model.uid));
}

describe('demo entries', () => {
  for (const file of files) {
    for (const entry of file.entries) {
      it(`${file.name} ${entry.key}: keeps every rule of its model`, () => {
        const context = { models, known: knownBefore(file, entry), draft: entry.data['publishedAt'] === null };
        const data = Object.entries(completeData(file, entry)).filter(([name]) => name !== 'publishedAt');
        expect(findProblems(modelOf(file), Object.fromEntries(data), context)).to.deep.equal([]);
      });
    }

    it(`${file.name}: keys, uids and unique values occur once`, () => {
      expect(findRepeated(file.entries.map(({ key }) => key))).to.deep.equal([]);
      const unique = Object.entries(modelOf(file).attributes).filter(([, { type, unique }]) => type === 'uid' || unique === true);
      for (const [name] of unique) {
        const values = file.entries
          .filter(({ data }) => name in data)
          .map(({ data, locale }) => `${locale ?? 'en'} ${String(data[name])}`);
        expect(findRepeated(values), name).to.deep.equal([]);
      }
    });

    it(`${file.name}: publishedAt is null or an instant on types with drafts, and nowhere else`, () => {
      const drafts = modelOf(file).options?.draftAndPublish === true;
      const wrong = file.entries.filter(({ data }) => !(drafts ? isPublication(data['publishedAt']) : !('publishedAt' in data)));
      expect(wrong.map(({ key }) => key)).to.deep.equal([]);
    });

    it(`${file.name}: translations follow their source and leave shared values to it`, () => {
      expect(file.entries.flatMap((entry, index) => findInTranslation(file, entry, index))).to.deep.equal([]);
    });
  }

  it('link localized entries within their language', () => {
    const locales = new Map(
      files.flatMap((file) =>
        isLocalized(modelOf(file)) ? localesOf(file).map(([name, locale]) => [name, locale] as const) : [],
      ),
    );
    const strangers = files.flatMap(localesOf).flatMap(([name, locale, refs]) => {
      const crossing = refs.filter((ref) => locales.has(name) && locales.has(ref) && locales.get(ref) !== locale);
      return crossing.map((ref) => `${name} -> ${ref}`);
    });
    expect(strangers).to.deep.equal([]);
  });

  it('are enough to look around in: entries, translations, drafts', () => {
    expect(allEntries.filter(({ localizationOf }) => localizationOf === undefined)).to.have.length.of.at.least(55);
    expect(allEntries.filter(({ localizationOf }) => localizationOf !== undefined)).to.have.length.of.at.least(12);
    expect(allEntries.filter(({ data }) => data['publishedAt'] === null)).to.have.length.of.at.least(3);
  });

  it('show every model, single types once', () => {
    const shown = files.map(({ type }) => type);
    const types = [...models.values()].filter(({ kind }) => kind !== undefined);
    expect(shown).to.have.members(types.map(({ uid }) => uid));
    const singles = files.filter((file) => modelOf(file).kind === 'singleType');
    expect(singles.map(({ entries }) => entries.filter(({ locale }) => locale === undefined).length)).to.deep.equal([1, 1]);
  });
});

describe('demo pictures', () => {
  const names = pictures.map(({ name }) => name);

  it('are listed, all that there are, and each is shown by some entry', async () => {
    expect(await readdir(path.join(demoFolder, 'files'))).to.have.members(names);
    const shown = [...JSON.stringify(files).matchAll(/"\$ref":"file\.([^"]+)"/g)].map(([, name]) => name);
    expect([...new Set(shown)]).to.have.members(names);
  });

  for (const { name, alternativeText } of pictures)
    it(`${name}: a small JPEG that says what it shows`, async () => {
      const bytes = await readFile(path.join(demoFolder, 'files', name));
      const { type, width, height } = imageSize(bytes);
      expect([type, width, height, path.extname(name)]).to.deep.equal(['jpg', 560, 350, '.jpg']);
      expect(bytes.length).to.be.below(20_000);
      expect(alternativeText).to.match(/^[A-Z].{10,80}$/);
    });
});

/** Of each entry of a file: its `name.key`, its locale, and the `name.key` of all entries it refers to. */
function localesOf(file: DemoFile): [name: string, locale: string, refs: string[]][] {
  return file.entries.map(({ key, locale, data }) => {
    const refs = [...JSON.stringify(data).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => String(ref));
    return [`${modelOf(file).info.singularName ?? ''}.${key}`, locale ?? 'en', refs];
  });
}

const findRepeated = (values: readonly string[]) => values.filter((value, index) => values.indexOf(value) !== index);

const isPublication = (value: unknown) =>
  value === null || (typeof value === 'string' && !Number.isNaN(Date.parse(value)) && new Date(value).toISOString() === value);

function findInTranslation(file: DemoFile, { key, localizationOf, locale, data }: DemoEntry, index: number): string[] {
  if (localizationOf === undefined) return locale === undefined ? [] : [`${key}: a locale without a source`];
  const model = modelOf(file);
  const source = file.entries.slice(0, index).find((entry) => entry.key === localizationOf);
  const repeated = Object.keys(data).filter((name) => isShared(model.attributes[name]));
  return [
    ...(isLocalized(model) ? [] : [`${key}: the type is not localized`]),
    ...(source && source.localizationOf === undefined ? [] : [`${key}: no earlier source ${localizationOf}`]),
    ...(locale === 'fr' ? [] : [`${key}: not French`]),
    ...repeated.map((name) => `${key}: ${name} belongs to the source`),
  ];
}
