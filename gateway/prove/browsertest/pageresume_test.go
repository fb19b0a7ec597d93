//go:build browser

package browsertest

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// troubled is a model that calls a tool, fails twice, once after some words, and then reports the
// result.
func troubled() func(results []string, d deltas) {
	var asked atomic.Int64
	return func(results []string, d deltas) {
		switch asked.Add(1) {
		case 1:
			d.words("I compute that.")
			d.calls("calculator", `{"expression": "12*(340+75)"}`)
		case 2:
			d.w.WriteHeader(http.StatusServiceUnavailable)
		case 3, 4: // a stream that breaks off is started again once
			d.words("The sum is, as far as")
			panic(http.ErrAbortHandler)
		default:
			d.words("The sum is " + strings.Join(results, " and ") + ".")
			d.end("stop")
		}
	}
}

// failed waits until the page shows that a turn has failed, and offers to continue.
func (p *page) failed() {
	p.t.Helper()
	p.until("find('.transcript .alert button') && !find('.transcript .alert button').disabled && !find('.work')")
}

func TestAPersonsWayThroughAModelThatFailsTwice(t *testing.T) {
	t.Parallel()
	fails := troubled()
	s := newSite(t, "", upstream(t, func(_ string, results []string, d deltas) { fails(results, d) }),
		configured(t, map[string]string{"gateway.json": guideConfig, "tools.json": guideTools, "apps/travel.json": guideApp}))
	p := openChatPage(t, s, "", 1000)
	p.write("go through trouble")
	p.failed()
	other := p.alongside(eval[string](p, "location.href"))
	other.failed()
	p.click(".transcript .alert button")
	for _, each := range []*page{p, other} {
		each.says("The sum is, as far as")
		each.failed()
		if n := eval[int](each, "document.querySelectorAll('.transcript .alert').length"); n != 1 {
			t.Errorf("%d errors are shown", n)
		}
	}
	other.do(chromedp.Reload())
	other.failed()
	other.click(".transcript .alert button")
	for _, each := range []*page{p, other} {
		each.says("The sum is 4980.")
		each.idle()
		each.shown("go through trouble", "I compute that.", "Tool calculator done", "The sum is 4980.")
	}
	p.do(chromedp.Reload())
	p.shown("go through trouble", "I compute that.", "Tool calculator done", "The sum is 4980.")
}

func TestATurnGoesOnAfterALimitAndAStop(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := newSite(t, "", upstream(t, func(said string, _ []string, d deltas) {
		switch asked.Add(1) {
		case 1:
			d.words("Once upon")
			d.end("length")
		case 2:
			d.words("a time")
			<-t.Context().Done()
		case 3:
			d.words(said + " there was an end.")
			d.end("stop")
		}
	}))
	p := openChatPage(t, s, "", 1000)
	p.write("Tell")
	const button = ".transcript .end button"
	p.until("find(%s)?.textContent.includes('Continue')", button)
	p.click(button)
	p.says("a time")
	p.click("#stop")
	p.until("find(%s)?.textContent.includes('Continue')", button)
	p.do(chromedp.Reload()) // the stored state is offered
	p.until("find(%s)?.textContent.includes('Continue')", button)
	p.says("Stopped")
	p.click(button)
	p.says("there was an end")
	p.idle()
	p.shown("Tell", "Once upon", "Continue there was an end.")
}

// The gateway dies in the middle of a sentence; its successor begins the step again.
func TestAnAnswerSurvivesTheGateway(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var asked atomic.Int32
	s := newSite(t, "", upstream(t, func(_ string, _ []string, d deltas) {
		d.words("It begins well ")
		if asked.Add(1) == 1 {
			<-held
			return
		}
		d.words("and ends well.")
		d.end("stop")
	}))
	defer close(held)
	p := openChatPage(t, s, "", 1000)
	p.write("tell me")
	p.says("It begins well")
	s.kill()
	p.until("find('.connection span')")
	s.run()
	p.says("and ends well.")
	p.idle()
	p.shown("tell me", "It begins well and ends well.")
	if n := asked.Load(); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
}
