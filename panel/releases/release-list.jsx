import { useState } from 'react';
import { useIntl } from 'react-intl';
import { useHistory } from 'react-router-dom';
import { Button, ContentLayout, HeaderLayout, Main, Typography } from '@strapi/design-system';
import { Link } from '@strapi/helper-plugin';
import { Plus } from '@strapi/icons';
import { post } from '../client.js';
import { Dialog } from '../dialog.jsx';
import { PagedTable, usePages } from '../paged-table.jsx';
import { label } from '../texts.js';
import { ReleaseForm } from './release-form.jsx';
import { api, page, timeText } from './release-texts.js';
import { useChange } from './use-change.js';

/** Releases that are read at once. */
const pageSize = 25;

/** The list of releases, the newest first. */
export function ReleaseList() {
  const { formatMessage } = useIntl();
  const [isMaking, setIsMaking] = useState(false);
  const query = usePages([api, 'list'], api, { pageSize, paramsOf: (start) => ({ start, limit: pageSize }) });
  const columns = useColumns();
  return (
    <Main aria-busy={query.isFetching}>
      <HeaderLayout
        title={formatMessage(label('release.title'))}
        subtitle={formatMessage(label('release.subtitle'))}
        primaryAction={
          <Button startIcon={<Plus />} onClick={() => setIsMaking(true)}>
            {formatMessage(label('release.make'))}
          </Button>
        }
      />
      <ContentLayout>
        <PagedTable columns={columns} query={query} none={formatMessage(label('release.none'))} keyOf={({ id }) => id} />
      </ContentLayout>
      {isMaking && <NewRelease onClose={() => setIsMaking(false)} />}
    </Main>
  );
}

function useColumns() {
  const intl = useIntl();
  const shown = {
    name: ({ id, name }) => <Link to={`${page}/${id}`}>{name}</Link>,
    time: (release) => (
      <Typography textColor={release.failedAt === null ? 'neutral800' : 'danger600'}>{timeText(release, intl)}</Typography>
    ),
    count: ({ count }) => count,
  };
  return Object.entries(shown).map(([name, show]) => ({ title: intl.formatMessage(label(`release.${name}`)), show }));
}

function NewRelease({ onClose }) {
  const { formatMessage } = useIntl();
  const { push } = useHistory();
  const { change, isSending } = useChange();
  const [values, setValues] = useState({ name: '', at: null });
  const make = async () => {
    const made = await change(() => post(api, values));
    if (made !== null) push(`${page}/${made.id}`);
  };
  return (
    <Dialog
      id="mangrove-release"
      title="release.make"
      close="release.cancel"
      onClose={onClose}
      action={
        <Button onClick={make} loading={isSending} disabled={values.name.trim() === ''}>
          {formatMessage(label('release.save'))}
        </Button>
      }
    >
      <ReleaseForm values={values} onChange={setValues} />
    </Dialog>
  );
}
