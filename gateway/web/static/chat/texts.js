// The texts of <askgate-chat> in English. Other languages come from the gateway, as for the card.
export const english = {
  "page.connection_lost": "Connection lost. Reconnecting …",
  "page.continue": "Continue",
  "page.cut_filter": "The model’s content filter withheld the answer.",
  "page.cut_length": "The answer was cut off: the model reached its length limit.",
  "page.cut_steps": "The assistant reached its limit of steps for one message. Send another message to continue.",
  "page.earlier": "Show earlier messages",
  "page.error": "Something went wrong",
  "page.not_sent": "Not sent: the gateway cannot be reached. Your text is still here; send it again.",
  "page.placeholder": "Write a message …",
  "page.send": "Send",
  "page.stop": "Stop",
  "page.stopped": "Stopped",
  "page.thinking": "Thinking …",
  "page.tool": "Tool",
  "page.working": "Working …",
  "page.you": "You",
};
