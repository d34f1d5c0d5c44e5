import type { Audience } from '#content/rights/is-open.js';
import { pageAnswer, html, type Html } from '#http/page-answer.js';
import { commandLine } from '#base/command-line.js';
import type { Overview, TypeOverview } from './overview.js';

type PageLink = Readonly<Record<'path' | 'name' | 'about', string>>;

interface PageInput {
  readonly version: string;
  readonly environment: string;
  readonly links: readonly PageLink[];
  /** Address of the service without a trailing slash, for the commands. */
  readonly address: string;
  /** Null if the reader of the page may not see it. */
  readonly overview: Overview | null;
}

/** Returns the answer with the start page. */
export function renderPage({ version, environment, links, address, overview }: PageInput) {
  const body = html`<header>
      <h1>Mangrove</h1>
      <p class="soft">Version ${version}, ${environment}</p>
      <nav aria-label="Pages">
        <ul>
          ${links.map(renderLink)}
        </ul>
      </nav>
    </header>
    <main>${overview === null ? closed : renderOverview(overview, address)}</main>`;
  return pageAnswer({ title: 'Mangrove', body });
}

const renderLink = ({ path, name, about }: PageLink): Html =>
  html`<li>
    <a href="${path}"><strong>${name}</strong> ${about}</a>
  </li>`;

const closed = html`<h2>The service runs</h2>
  <p>Its content is shown to browsers on its own machine, or to everybody if <code>api.open</code> is set.</p>`;

const renderOverview = (overview: Overview, address: string): Html => {
  const { audience, database, types, more, warnings, projectRoutes } = overview;
  return html` <p>${access[audience]} Database: <code>${database}</code></p>
    ${
      warnings.length === 0
        ? null
        : html`<h2>Good to know</h2>
            <ul class="warnings">
              ${warnings.map((text) => html`<li>${text}</li>`)}
            </ul>`
    }
    <h2>Content types</h2>
    <p class="soft">Entries are counted with drafts, and in all languages.</p>
    ${types.length === 0 ? html`<p>There are none yet.</p>` : types.map((type) => renderType(type, audience, address))}
    ${more === 0 ? null : html`<p>and ${more} more</p>`}
    ${
      projectRoutes.length === 0
        ? null
        : html`<h2>Routes of the project</h2>
            <p class="soft">Code of the project answers these, besides the content types.</p>
            <ul>
              ${projectRoutes.map((route) => html`<li><code>${route}</code></li>`)}
            </ul>`
    }
    <h2>Next steps</h2>
    <ol>
      ${steps(overview).map(([title, command]) => html`<li>${title}${commandBlock(command)}</li>`)}
    </ol>`;
};

const access: Readonly<Record<Audience, string>> = {
  everybody: 'Everybody may read and change everything.',
  local:
    'Programs on this machine may read and change everything, until there is a user or a grant. Other machines have no access.',
  nobody: 'Everybody may do what their role grants.',
};

const commandBlock = (command: string): Html => html`<pre><code class="command">${command}</code></pre>`;

const renderType = (
  { uid, name, request, answer, count, publicActions }: TypeOverview,
  audience: Audience,
  address: string,
): Html =>
  html` <article>
    <header>
      <h3>${name}</h3>
      <code class="soft">${uid}</code>
    </header>
    <p>${[count === 1 ? '1 entry.' : `${String(count)} entries.`, publicText(publicActions, audience)].join(' ').trimEnd()}</p>
    ${request === null ? html`<p>The routes of the project do not list it.</p>` : commandBlock(`curl -g '${address}${request}'`)}
    ${
      answer === null
        ? null
        : html`<details>
            <summary>Answer<span class="soft"> of ${request}</span></summary>
            <pre><code>${answer}</code></pre>
          </details>`
    }
  </article>`;

/** Returns what the public may do with a type; empty if the beginning of the page says it of all types. */
function publicText(actions: readonly string[], audience: Audience): string {
  if (audience === 'everybody') return '';
  if (actions.length > 0) return `The public may: ${actions.join(', ')}.`;
  return audience === 'nobody' ? 'The public has no access.' : '';
}

const exampleModel = (name: string): string =>
  JSON.stringify({
    uid: `api::${name}.${name}`,
    kind: 'collectionType',
    info: { singularName: name, pluralName: `${name}s`, displayName: 'Recipe' },
    attributes: { title: { type: 'string', required: true }, minutes: { type: 'integer' } },
  });

/** Returns the next steps with their commands. */
const steps = ({ types, freeName }: Overview): readonly (readonly [title: string, command: string])[] => [
  [
    'Add a content type. Reload this page to see it.',
    `echo '${exampleModel(freeName)}' > ${freeName}.json\n${commandLine(`models add ${freeName}.json`)}`,
  ],
  ['Let everybody read.', commandLine(`permissions grant public ${types[0]?.uid ?? `api::${freeName}.${freeName}`}.find`)],
  ['Create a user.', commandLine('user create --username ines --email ines@example.org')],
  ['Create a token for a program.', commandLine('token create --name app --type read-only')],
  [
    'Store the data in your own MongoDB.',
    `MONGODB_URI='mongodb://localhost:27017/content?replicaSet=rs0' ${commandLine('start')}`,
  ],
  ['See all commands.', commandLine('help')],
];
