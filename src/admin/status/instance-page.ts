import { html, type Html } from '#http/page-answer.js';
import { type Instance, modelStates } from '#store/models/model-states.js';
import { is } from '#store/form/matches.js';
import { findStored } from '#store/stored.js';
import { collections } from '#model/schema/collections.js';
import type { PanelCall } from '../panel-route.js';
import { count, type Fact, facts, type StatusPage, time } from './status-page.js';

/** The instances of the service, and the jobs that one of them at a time runs. */
export const instancePage: StatusPage = {
  name: 'instances',
  title: 'Instances',
  about: 'processes of the service, and what they serve',
  right: 'admin::project-settings.read',
  render,
};

/** Maximum numbers of instances and of jobs. */
const most = { instances: 100, jobs: 100 };

async function render({ running: { backend }, content }: PanelCall): Promise<Html> {
  const { database, changes } = content.store;
  const [found, jobs] = await Promise.all([modelStates.readInstances(database, most.instances + 1), readJobs(content)]);
  const instances = found.slice(0, most.instances);
  const isSame = new Set(instances.map(({ revision }) => revision)).size <= 1;
  const own: Fact = ['Changes of others', [changes.isListening ? 'heard at once' : 'asked for every few seconds']];
  return html`<p>
      ${count(instances.length, 'instance')} of the service${instances.length < found.length ? ', and more' : ''}. Database:
      <code>${backend.description}</code>
    </p>
    ${isSame ? null : html`<p class="warnings">They do not serve the same models. After a change they agree within seconds.</p>`}
    ${instances.map((instance) => {
      const isThis = instance.name === backend.models.status.instance;
      return renderInstance(instance, isThis ? [['This page', ['is from this instance']], own] : []);
    })}
    <p class="soft">An instance that was killed is listed for a quarter of an hour after its last heartbeat.</p>
    <h2>Jobs</h2>
    <p class="soft">Background work that one instance at a time does.</p>
    ${jobs.length === 0 ? html`<p>None has run in the last hour.</p>` : facts(jobs)}`;
}

const renderInstance = ({ name, version, heartbeat, revision, models, refused }: Instance, more: readonly Fact[]): Html =>
  html`<article>
    <header>
      <h2>${name.split(':')[0] ?? name}</h2>
      <code class="soft">${name}</code>
    </header>
    ${facts([
      ['Version', [version ?? 'unknown, an older one']],
      ['Last heartbeat', [time(heartbeat)]],
      ['Serves', [html`${count(models, 'model')}, revision <code>${revision}</code>`]],
      ['Refused', refused === 0 ? [] : [count(refused, 'model')]],
      ...more,
    ])}
  </article>`;

/** What ids of claims of jobs begin with. */
const prefix = 'job ';

async function readJobs({ store }: PanelCall['content']): Promise<readonly Fact[]> {
  const match = { _id: is.between(prefix, `${prefix}\uffff`) };
  const claims = await findStored(store.database, collections.claims, { match, limit: most.jobs });
  return claims.map(({ _id, ran, until }) => {
    const isRunning = until instanceof Date && until > new Date();
    return [
      String(_id).slice(prefix.length),
      [isRunning ? 'runs now' : ran instanceof Date ? `last run ${time(ran)}` : 'never run'],
    ];
  });
}
