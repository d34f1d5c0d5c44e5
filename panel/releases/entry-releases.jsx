import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useQuery } from 'react-query';
import { Button, Flex, SingleSelect, SingleSelectOption, Typography } from '@strapi/design-system';
import { Link, useCMEditViewDataManager } from '@strapi/helper-plugin';
import { put, read } from '../client.js';
import { Dialog } from '../dialog.jsx';
import { SideBox } from '../side-box.jsx';
import { label } from '../texts.js';
import { api, page, timeText } from './release-texts.js';
import { useChange } from './use-change.js';

/** The open releases that have the entry of a form, and a button that adds it to one. */
export function EntryReleases() {
  const { slug, initialData, isCreatingEntry, hasDraftAndPublish, readActionAllowedFields } = useCMEditViewDataManager();
  if (isCreatingEntry || initialData.id === undefined || readActionAllowedFields.length === 0) return null;
  return <Releases entry={{ uid: slug, id: initialData.id }} hasDrafts={hasDraftAndPublish} />;
}

function Releases({ entry, hasDrafts }) {
  const intl = useIntl();
  const { formatMessage } = intl;
  const [isAdding, setIsAdding] = useState(false);
  const params = { ...entry, state: 'open', limit: 100 };
  const { data = [] } = useQuery([api, 'entry', params], () => read(api, params));
  return (
    <SideBox title={formatMessage(label('release.title'))}>
      <Flex direction="column" alignItems="stretch" gap={2}>
        {data.map((release) => (
          <Flex key={release.id} direction="column" alignItems="flex-start">
            <Link to={`${page}/${release.id}`}>{release.name}</Link>
            <Typography variant="pi" textColor="neutral600">
              {`${formatMessage(label(`release.${release.action}`))} · ${timeText(release, intl)}`}
            </Typography>
          </Flex>
        ))}
        <Button variant="tertiary" fullWidth onClick={() => setIsAdding(true)}>
          {formatMessage(label('release.add'))}
        </Button>
      </Flex>
      {isAdding && <Adding entry={entry} hasDrafts={hasDrafts} known={data} onClose={() => setIsAdding(false)} />}
    </SideBox>
  );
}

/** Most releases that the service answers at once. */
const pageSize = 100;

/** Returns all open releases, of which there are at most 1,000. */
async function readOpen() {
  const releases = [];
  for (;;) {
    const part = await read(api, { state: 'open', limit: pageSize, start: releases.length });
    releases.push(...part);
    if (part.length < pageSize) return releases;
  }
}

/** A dialog that adds an entry to an open release. */
function Adding({ entry, hasDrafts, known, onClose }) {
  const { formatMessage } = useIntl();
  const { add, isSending } = useAddition(entry);
  const [values, setValues] = useState({ release: null, action: hasDrafts ? 'publish' : 'delete' });
  const { data, isSuccess } = useQuery([api, 'open'], readOpen);
  const open = (data ?? []).filter(({ id }) => known.every((one) => one.id !== id));
  const finish = async () => {
    if ((await add(values)) !== null) onClose();
  };
  return (
    <Dialog
      id="mangrove-add"
      title="release.add"
      close="release.cancel"
      onClose={onClose}
      action={
        <Button onClick={finish} loading={isSending} disabled={values.release === null}>
          {formatMessage(label('release.save'))}
        </Button>
      }
    >
      {isSuccess && open.length === 0 && <Typography>{formatMessage(label('release.noneOpen'))}</Typography>}
      {open.length > 0 && <Choices values={values} onChange={setValues} open={open} hasDrafts={hasDrafts} />}
    </Dialog>
  );
}

/** Returns a function that adds an entry to a release, which is read before, so that no action of others is lost. */
function useAddition(entry) {
  const { change, isSending } = useChange();
  const add = ({ release, action: added }) =>
    change(async () => {
      const path = `${api}/${release}`;
      const { actions, version } = await read(path);
      const sent = [...actions, { ...entry, action: added }].map(({ action, uid, id }) => ({ action, uid, id }));
      return put(path, { actions: sent, version });
    });
  return { add, isSending };
}

function Choices({ values, onChange, open, hasDrafts }) {
  const { formatMessage } = useIntl();
  const actions = hasDrafts ? ['publish', 'unpublish', 'delete'] : ['delete'];
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Choice
        name="release"
        value={values.release}
        options={open.map(({ id, name }) => [String(id), name])}
        onChange={(release) => onChange({ ...values, release })}
      />
      <Choice
        name="action"
        value={values.action}
        options={actions.map((name) => [name, formatMessage(label(`release.${name}`))])}
        onChange={(action) => onChange({ ...values, action })}
      />
    </Flex>
  );
}

function Choice({ name, value, options, onChange }) {
  const { formatMessage } = useIntl();
  return (
    <SingleSelect label={formatMessage(label(`release.${name}`))} value={value} onChange={onChange}>
      {options.map(([key, text]) => (
        <SingleSelectOption key={key} value={key}>
          {text}
        </SingleSelectOption>
      ))}
    </SingleSelect>
  );
}
