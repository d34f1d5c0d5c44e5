import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { languages } from '#api/openapi/print-types.js';
import { fullAccess } from '#model/query/access.js';
import { buildRegistry } from '#model/schema/build-registry.js';
import { trickyModels } from './tricky-models.js';

const run = promisify(execFile);

type Command = readonly [program: string, ...args: readonly string[]];

interface Compiling {
  readonly language: keyof typeof languages;
  readonly files: Readonly<Record<string, string>>;
  readonly version: Command;
  readonly commands: readonly Command[];
}

const { KOTLINC = 'kotlinc', KOTLIN_PLUGIN = '', KOTLIN_CLASSPATH = '' } = process.env;

const pubspec = "name: models\nenvironment:\n  sdk: '>=3.3.0 <4.0.0'\ndependencies:\n  http: any\n";

/**
 * KOTLIN_PLUGIN is the path of kotlinx-serialization-compiler-plugin.jar of the compiler, KOTLIN_CLASSPATH has the jars of
 * kotlinx-serialization-core, kotlinx-serialization-json and kotlinx-coroutines-core.
 */
const compilings: readonly Compiling[] = [
  {
    language: 'kotlin',
    files: {},
    version: [KOTLINC, '-version'],
    commands: [[KOTLINC, '-Werror', '-cp', KOTLIN_CLASSPATH, `-Xplugin=${KOTLIN_PLUGIN}`, 'models.kotlin.kt', '-d', 'out']],
  },
  { language: 'swift', files: {}, version: ['swiftc', '--version'], commands: [['swiftc', '-typecheck', 'models.swift']] },
  {
    language: 'dart',
    files: { 'pubspec.yaml': pubspec },
    version: ['dart', '--version'],
    commands: [
      ['dart', 'pub', 'get'],
      ['dart', 'analyze', '--fatal-warnings'],
    ],
  },
];

const start = (directory: string, [program, ...args]: Command) => run(program, args, { cwd: directory });

describe('models of an app, compiled', function () {
  this.timeout(600_000);
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'mangrove-languages-'));
  });
  after(() => rm(directory, { recursive: true }));

  for (const { language, files, version, commands } of compilings)
    it(`in ${language}`, async function () {
      if (
        await start(directory, version).then(
          () => false,
          () => true,
        )
      ) {
        console.log(`      ${version[0]} is not installed: the models in ${language} were not compiled`);
        this.skip();
      }
      const name = language === 'kotlin' ? 'models.kotlin.kt' : `models.${language}`;
      const code = languages[language](buildRegistry(trickyModels).registry, fullAccess);
      for (const [file, text] of Object.entries({ ...files, [name]: code })) await writeFile(path.join(directory, file), text);
      for (const command of commands) await start(directory, command);
    });
});
