// Slack's own libraries meet the stand-in for Slack: Bolt as an app that is pressed, and the Web API's
// client as one that calls.
import assert from 'node:assert/strict'
import bolt from '@slack/bolt'
import { WebClient } from '@slack/web-api'

const { SLACK_API_URL, SLACK_TOKEN, SLACK_SECRET, CONTROL_URL } = process.env
const control = async (path, body) => (await fetch(CONTROL_URL + path, { method: 'POST', body: JSON.stringify(body) })).json()

const clientOptions = { slackApiUrl: SLACK_API_URL + '/', retryConfig: { retries: 0 } }
const web = new WebClient(SLACK_TOKEN, clientOptions)
const me = await web.auth.test()
assert.equal(me.ok, true)
const { user } = await web.users.lookupByEmail({ email: 'carol@example.org' })
assert.equal(user.is_email_confirmed, true)
assert.equal(user.team_id, me.team_id)
assert.equal((await web.users.info({ user: user.id })).user.profile.email, 'carol@example.org')
await assert.rejects(web.users.lookupByEmail({ email: 'dave@example.org' }), (e) => e.data.error === 'users_not_found')
await assert.rejects(new WebClient('xoxb-wrong', clientOptions).auth.test(), (e) => e.data.error === 'invalid_auth')
const { channel } = await web.conversations.open({ users: user.id })

const button = (id, text) => ({ type: 'button', action_id: id, value: id, text: { type: 'plain_text', text } })
const posted = (blocks) => web.chat.postMessage({ channel: channel.id, text: 'x', blocks })
const { ts } = await posted([{ type: 'actions', elements: [button('a', 'A'), button('own', 'Own words')] }])
for (const wrong of [
  [{ type: 'actions', elements: [button('a', 'A'), button('a', 'B')] }],
  [{ type: 'actions', elements: [] }],
  [{ type: 'actions', elements: [button('a', 'x'.repeat(76))] }],
  [{ type: 'section', text: { type: 'plain_text', text: 'x'.repeat(3001) } }],
  [{ type: 'section', text: { type: 'plain_text', text: '' } }],
  Array.from({ length: 51 }, () => ({ type: 'section', text: { type: 'plain_text', text: 'x' } })),
]) await assert.rejects(posted(wrong), (e) => e.data.error === 'invalid_blocks')

const seen = []
const app = new bolt.App({ signingSecret: SLACK_SECRET, token: SLACK_TOKEN, clientOptions, logLevel: bolt.LogLevel.ERROR })
app.action('a', async ({ ack, action, body, respond }) => {
  await ack()
  seen.push(['action', action.value, body.user.id, body.team.id, body.container.message_ts])
  await respond({ text: 'only you', response_type: 'ephemeral', replace_original: false })
})
app.action('own', async ({ ack, body, client }) => {
  await ack()
  await client.views.open({
    trigger_id: body.trigger_id,
    view: {
      type: 'modal', callback_id: 'words', private_metadata: 'm', title: { type: 'plain_text', text: 'T' }, submit: { type: 'plain_text', text: 'S' }, close: { type: 'plain_text', text: 'C' },
      blocks: [{ type: 'input', block_id: 'b', label: { type: 'plain_text', text: 'L' }, element: { type: 'plain_text_input', action_id: 'i' } }],
    },
  })
  seen.push(['opened'])
})
app.view('words', async ({ ack, view }) => {
  await ack({ response_action: 'errors', errors: { b: 'no' } })
  seen.push(['view', view.private_metadata, view.state.values.b.i.value])
})
const server = await app.start({ port: 0, host: '127.0.0.1' })
const at = `http://127.0.0.1:${server.address().port}/slack/events`
const until = async (n) => { while (seen.length < n) await new Promise((r) => setImmediate(r)) }

assert.equal((await control('/press', { at, action: 'a' })).Status, 200)
await until(1)
assert.deepEqual(seen[0], ['action', 'a', user.id, me.team_id, ts])
assert.equal((await control('/told', {})).text, 'only you')
assert.equal((await control('/press', { at, action: 'own' })).Status, 200)
await until(2)
assert.deepEqual(await control('/submit', { at }), { Status: 200, Body: '{"response_action":"errors","errors":{"b":"no"}}' })
await until(3)
assert.deepEqual(seen[2], ['view', 'm', 'typed'])
for (const how of ['forged', 'old']) assert.equal((await control('/press', { at, action: 'a', how })).Status, 401)
assert.equal(seen.length, 3)
await app.stop()
