import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import { useHistory, useParams } from 'react-router-dom';
import { Box, Button, ContentLayout, Flex, HeaderLayout, Main, Typography } from '@strapi/design-system';
import { ConfirmDialog, Link } from '@strapi/helper-plugin';
import { ArrowLeft, Check, Trash } from '@strapi/icons';
import { del, post, put, read } from '../client.js';
import { label } from '../texts.js';
import { ReleaseActions } from './release-actions.jsx';
import { ReleaseForm } from './release-form.jsx';
import { api, page, refusalOf, timeText } from './release-texts.js';
import { useChange } from './use-change.js';

/** The page of one release. */
export function ReleasePage() {
  const { id } = useParams();
  const path = `${api}/${id}`;
  const { data: release, error } = useQuery([api, id], () => read(path), { retry: false });
  return (
    <Main aria-busy={release === undefined && error === null}>
      {release !== undefined && <Release key={release.version} release={release} path={path} />}
      {error !== null && release === undefined && (
        <Box padding={8}>
          <Typography textColor="danger600">{refusalOf(error)}</Typography>
        </Box>
      )}
    </Main>
  );
}

function Release({ release, path }) {
  const intl = useIntl();
  const { formatMessage } = intl;
  const { change, isSending } = useChange();
  const [values, setValues] = useState({ name: release.name, at: release.at });
  const isOpen = release.state === 'open';
  const isChanged = values.name !== release.name || values.at !== release.at;
  const save = (changed) => change(() => put(path, { ...changed, version: release.version }));
  return (
    <>
      <HeaderLayout
        title={release.name}
        subtitle={timeText(release, intl)}
        navigationAction={
          <Link startIcon={<ArrowLeft />} to={page}>
            {formatMessage(label('release.title'))}
          </Link>
        }
        primaryAction={<Buttons release={release} path={path} isChanged={isChanged} />}
      />
      <ContentLayout>
        <Flex direction="column" alignItems="stretch" gap={6}>
          {release.failure !== null && <Problems title="release.failed" problems={release.failure.problems} release={release} />}
          {release.problems.length > 0 && <Problems title="release.problems" problems={release.problems} release={release} />}
          {isOpen && (
            <Values values={values} onChange={setValues} isSending={isSending} onSave={isChanged ? () => save(values) : null} />
          )}
          <ReleaseActions
            release={release}
            onRemove={(index) => save({ actions: release.actions.filter((_, other) => other !== index).map(asSent) })}
            disabled={!isOpen || release.hidden > 0 || isSending || isChanged}
          />
        </Flex>
      </ContentLayout>
    </>
  );
}

/** The name and the time, with a button that saves them; `onSave` is null if they are not changed. */
function Values({ onSave, isSending, ...form }) {
  const { formatMessage } = useIntl();
  return (
    <Box background="neutral0" padding={6} hasRadius shadow="tableShadow">
      <ReleaseForm {...form} disabled={isSending} />
      <Box paddingTop={4}>
        <Button variant="secondary" disabled={onSave === null} loading={isSending} onClick={onSave}>
          {formatMessage(label('release.save'))}
        </Button>
      </Box>
    </Box>
  );
}

/** Returns an action without what is shown of its entry. */
const asSent = ({ action, uid, id }) => ({ action, uid, id });

function Buttons({ release, path, isChanged }) {
  const { formatMessage } = useIntl();
  const { push } = useHistory();
  const { change, isSending } = useChange();
  const [asked, setAsked] = useState(null);
  const carryOut = async () => {
    if (asked === 'publish') await change(() => post(`${path}/publish`, { version: release.version }));
    else if ((await change(() => del(path), { deletes: true })) !== null) return push(page);
    setAsked(null);
  };
  return (
    <Flex gap={2} wrap="wrap">
      <Button variant="danger-light" startIcon={<Trash />} onClick={() => setAsked('delete')}>
        {formatMessage(label('release.delete'))}
      </Button>
      {release.state === 'open' && (
        <Button
          startIcon={<Check />}
          disabled={release.count === 0 || release.problems.length > 0 || isChanged}
          onClick={() => setAsked('publish')}
        >
          {formatMessage(label('release.publish'))}
        </Button>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        isConfirmButtonLoading={isSending}
        onToggleDialog={() => setAsked(null)}
        onConfirm={carryOut}
        title={label('release.confirm')}
        bodyText={label(asked === 'publish' ? 'release.publishAsked' : 'release.deleteAsked')}
        leftButtonText={label('release.cancel')}
        rightButtonText={label(asked === 'publish' ? 'release.publish' : 'release.delete')}
        variantRightButton={asked === 'publish' ? 'success-light' : 'danger-light'}
      />
    </Flex>
  );
}

function Problems({ title, problems, release }) {
  const { formatMessage } = useIntl();
  const entryOf = ({ path: [, index] }) => release.actions[index];
  return (
    <Box background="danger100" padding={4} hasRadius role="status">
      <Typography fontWeight="bold" as="h2">
        {formatMessage(label(title))}
      </Typography>
      <ul>
        {problems.map((problem, index) => (
          <li key={index}>
            <Typography style={{ overflowWrap: 'anywhere' }}>
              {[entryOf(problem)?.label ?? entryOf(problem)?.id, problem.message].filter(Boolean).join(': ')}
            </Typography>
          </li>
        ))}
      </ul>
    </Box>
  );
}
